"""Where a reading comes from when there is no cluster: our own snapshot file, or somebody's manifests on the disk."""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from migrate.errors import BadInputError
from migrate.records.snapshot import Snapshot
from migrate.records.source import Place, Source, SourceFile
from migrate.store import codec
from migrate.store.atomic import LARGEST_BYTES, failed, is_folder, load
from migrate.store.sources_parse import parse

SUFFIXES: Final = (".yaml", ".yml", ".json")
MOST_FILES: Final = 500_000
"""Names that are looked at in a folder; a must-gather of a large cluster has some tens of thousands."""
MOST_BYTES: Final = 2 * LARGEST_BYTES
"""Of all files that are read, together."""

_OURS: Final = re.compile(rb'\s*\{\s*"format"\s*:')
"""A document of this program, whole or not, begins with its format."""

Choice = Callable[[Sequence[Place]], Sequence[Place]]
"""Which of the files in a folder are worth reading, told by their places."""


def load_source(path: Path, choice: Choice) -> Snapshot | Source:
    """
    Return our own snapshot when the file is one, else the documents of the file or folder.

    Nothing is followed out of the folder: a symlink in it with the name of a manifest is refused.

    Raises:
        BadInputError: It is not there, cannot be read or parsed (with file, line, column), or holds nothing.
    """
    if not is_folder(path):
        return _one_file(path)
    root = path.resolve()
    files = {(root.name or "root", *found.relative_to(root).parts): found for found in _walk(root)}
    chosen = choice(sorted(files))
    if not chosen:
        raise BadInputError(
            f"{path} holds no manifest: no file called {', '.join('*' + suffix for suffix in SUFFIXES)} of a kind "
            "that matters here.",
            resolution="Name with --snapshot what maas-migrate snapshot --out FILE wrote, what kubectl get -o yaml "
            "printed, or the folder of a must-gather.",
        )
    return Source(
        name=root.name or "root",
        files=tuple(_parsed({place: files[place] for place in chosen})),
        modified_at=_newest(files[place] for place in chosen),
    )


def _one_file(path: Path) -> Snapshot | Source:
    data = load(path, by_user=True)
    if _OURS.match(data):
        return codec.decode(data, Snapshot, source=str(path), by_user=True)
    documents = parse(data, str(path))
    if isinstance(documents[0] if documents else None, dict) and "format" in documents[0]:
        return codec.decode(data, Snapshot, source=str(path), by_user=True)
    file = SourceFile(place=(path.name,), documents=documents)
    return Source(name=path.name, files=(file,), modified_at=_newest([path]))


def _parsed(files: dict[Place, Path]) -> Iterator[SourceFile]:
    left = MOST_BYTES
    for place, path in files.items():
        _must_be_plain(path)
        data = load(path, by_user=True)
        left -= len(data)
        if left < 0:
            raise BadInputError(
                f"The files hold more than {MOST_BYTES >> 20} MiB together; {path} and the rest were not read.",
                resolution="Name with --snapshot a folder of what belongs to Models-as-a-Service only.",
            )
        documents: tuple[Any, ...] = parse(data, str(path))
        yield SourceFile(place=place, documents=documents)


def _must_be_plain(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except OSError as error:
        raise failed(path, "read", error, by_user=True) from error
    if not stat.S_ISREG(mode):
        what = "a symlink" if stat.S_ISLNK(mode) else "not a regular file"
        raise BadInputError(f"{path} is {what}; it was not read.", resolution="Put the file itself there.")


def _walk(root: Path) -> Iterator[Path]:
    """Yield every file with the name of a manifest, links to folders among them."""
    looked_at = 0
    for folder, folders, names in os.walk(root, onerror=_unreadable, followlinks=False):
        here = Path(folder)
        linked = [name for name in folders if (here / name).is_symlink()]
        if linked:
            raise BadInputError(
                f"{here / linked[0]} is a symlink to a folder; it was not followed.",
                resolution="Name the folder itself with --snapshot.",
            )
        looked_at += len(names) + len(folders)
        if looked_at > MOST_FILES:
            raise BadInputError(
                f"{root} holds more than {MOST_FILES} files.",
                resolution="Name with --snapshot the folder of the reading alone.",
            )
        yield from (here / name for name in names if Path(name).suffix.lower() in SUFFIXES)


def _unreadable(error: OSError) -> None:
    raise failed(Path(str(error.filename)), "read", error, by_user=True) from error


def _newest(paths: Iterable[Path]) -> str:
    newest = max(int(path.stat().st_mtime) for path in paths)
    return datetime.fromtimestamp(newest, tz=UTC).isoformat(timespec="seconds")
