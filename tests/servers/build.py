"""
Builds the real servers into the user's cache folder: ``python -m tests.servers.build``.

Nothing is done when they are there. A build becomes visible whole or not at
all: it is made beside its place and renamed. Without Go one line says so, and
the exit code is 0 unless ``--required``.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.servers.locate import ABSENT, HERE, PROGRAMS, cache_folder, find, go_program

VERSION: Final = "v1.35.4"
_PACKAGE: Final = "k8s.io/component-base/version"


def main(arguments: Sequence[str]) -> int:
    """Make sure that the servers are there; return an exit code."""
    found = find()
    if found is not None and found.controller_manager is not None:
        _say(f"the real servers are in {found.api_server.parent}")
        return 0
    go, place = go_program(), cache_folder()
    if go is None or place is None:
        _say(ABSENT)
        return 1 if "--required" in arguments else 0
    started = time.monotonic()
    _build(go, place)
    _say(f"the real servers were built into {place} in {time.monotonic() - started:.0f} s")
    return 0


def _build(go: str, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".building-") as folder:
        made = Path(folder) / "bin"
        made.mkdir()
        for name in PROGRAMS:
            _say(f"building {name} {'' if name == 'etcd' else VERSION} (minutes when nothing is cached)")
            words = [go, "build", "-trimpath", "-ldflags", _flags(), "-o", str(made / name), f"./cmd/{name}"]
            subprocess.run(words, cwd=HERE, env={**os.environ, "CGO_ENABLED": "0"}, check=True)
        if place.exists():  # What a build of another time left of it is not whole.
            shutil.rmtree(place)
        made.rename(place)


def _flags() -> str:
    """Return the linker's flags: stripped, and the version that a release would carry."""
    major, minor, _ = VERSION.removeprefix("v").split(".")
    told = {"gitVersion": VERSION, "gitMajor": major, "gitMinor": minor}
    return " ".join(["-s", "-w", *(f"-X {_PACKAGE}.{key}={value}" for key, value in told.items())])


def _say(text: str) -> None:
    sys.stdout.write(f"servers: {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
