"""The judge in Go, built once into the user's cache and asked line by line; what is like and unlike its answers."""

import hashlib
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from migrate.goyaml import AnyMap, GoYamlError, Slice, Struct, Text, read, read_as
from tests.servers.locate import HERE, cache_base, go_program, go_version

MODULE: Final = HERE.parent / "judge"
REFS: Final = Slice(Struct({"pluginRef": Text()}))
CONFIG: Final = Struct(
    {
        "apiVersion": Text(),
        "kind": Text(),
        "plugins": Slice(Struct({"type": Text(), "name": Text(), "parameters": AnyMap()})),
        "profiles": Slice(Struct({"name": Text(), "plugins": Struct({"request": REFS, "response": REFS})})),
    }
)


class Judge:
    """The running program."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def read(self, text: str) -> dict[str, Any]:
        """Return how the controllers read one document."""
        return self._ask({"text": text})

    def decide(self, data: dict[str, str]) -> dict[str, Any]:
        """Return what the controller decides about the data of a plugins ConfigMap."""
        return self._ask({"data": data})

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found


@contextmanager
def judge() -> Iterator[Judge]:
    """Build the judge unless it is there, and run it while the block lasts."""
    with subprocess.Popen([str(_built())], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Judge(process)
        finally:
            process.kill()


def ours(text: str) -> dict[str, Any]:
    """Return how our reader reads one document, in the judge's form."""
    told: dict[str, Any] = {}
    try:
        told["json"] = read(text).value
    except GoYamlError:
        told["refused"] = True
    try:
        told["struct"] = _omitting_empty(read_as(text, CONFIG).value)
    except GoYamlError:
        told["misfit"] = True
    return told


def alike(told: dict[str, Any]) -> Any:
    """Return an answer so that two are equal when the controllers cannot tell them apart."""
    return _tagged({"json": None, **{key: value for key, value in told.items() if key != "detail"}})


def _tagged(value: Any) -> Any:
    """Make booleans and numbers unequal, and numbers equal as 64-bit floats are."""
    if isinstance(value, dict):
        return {key: _tagged(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_tagged(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return ("number", float(value))


def _omitting_empty(config: dict[str, Any]) -> dict[str, Any]:
    plugins = config["plugins"] and [
        {key: value for key, value in plugin.items() if value or key == "type"} for plugin in config["plugins"]
    ]
    return config | {"plugins": plugins}


def _built() -> Path:
    told = hashlib.sha256((go_version() or "").encode())
    for path in (MODULE / "go.mod", MODULE / "go.sum", MODULE / "main.go"):
        told.update(path.read_bytes())
    place = cache_base() / "judge" / told.hexdigest()[:16]
    if not place.exists():
        go = go_program()
        assert go is not None, "the judge needs Go"
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as folder:
            made = Path(folder) / "judge"
            words = [go, "build", "-trimpath", "-o", str(made), "."]
            subprocess.run(words, cwd=MODULE, env={**os.environ, "CGO_ENABLED": "0"}, check=True)
            made.rename(place)
    return place
