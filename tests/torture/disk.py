"""
A disk that forgets what was not synced, tears what is being written, fills up and fails.

What a process sees lies in a real folder. Beside it stands what would be left after a loss of power: the bytes
of each file as of its last fsync, the names of each folder as of its last, and what came after it in order.
"""

import errno
import os
import random
import shutil
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from migrate.store.atomic import FILE_MODE, Disk
from tests.torture.points import Points

BLOCKS_BYTES: Final = (512, 4096)
_GONE: Final = 1 << 62
Names = dict[str, int]
Change = tuple[str, int]
"""A name and the file or folder that it stands for from now on; -1 for none."""


@dataclass
class Folder:
    """Names as synced, and the changes since, in order."""

    synced: Names = field(default_factory=dict)
    since: list[Change] = field(default_factory=list)

    def sync(self) -> None:
        self.synced = self.names(len(self.since))
        self.since.clear()

    def moved(self, new: Callable[[int], int]) -> "Folder":
        """Return the same names for other numbers."""
        synced = {name: new(number) for name, number in self.synced.items()}
        return Folder(synced, [(name, new(number)) for name, number in self.since])

    def names(self, kept: int) -> Names:
        """Return the names when the first *kept* changes have reached the platter."""
        found = dict(self.synced)
        for name, number in self.since[:kept]:
            if number < 0:
                found.pop(name, None)
            else:
                found[name] = number
        return found


class Platter:
    """What is left after a loss of power, by inode; shared by all processes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: dict[int, bytes] = {}
        self.latest: dict[int, bytes] = {}
        self.folders: dict[int, Folder] = {}
        self.modes: dict[int, int] = {}
        self.learn(root)

    def learn(self, path: Path) -> None:
        """Take everything below *path* for synced."""
        self.files, self.latest, self.folders, self.modes = {}, {}, {}, {}
        for at, folders, files in os.walk(path):
            here = self.folders.setdefault(_inode(Path(at)), Folder())
            for name in (*folders, *files):
                thing = Path(at) / name
                here.synced[name] = _inode(thing)
                self.modes[_inode(thing)] = stat.S_IMODE(thing.lstat().st_mode)
                if name in files:
                    self.files[_inode(thing)] = self.latest[_inode(thing)] = thing.read_bytes()

    def move(self, numbers: Mapping[int, int]) -> None:
        """Take for each file and folder the one that is its copy; what was not synced is not synced there either."""

        def new(number: int) -> int:
            # What has lost its name has no copy; it gets a number that nothing else can have.
            return number if number < 0 else numbers.get(number, number | _GONE)

        self.files = {new(number): data for number, data in self.files.items()}
        self.latest = {new(number): data for number, data in self.latest.items()}
        self.modes = {new(number): mode for number, mode in self.modes.items()}
        self.folders = {new(number): folder.moved(new) for number, folder in self.folders.items()}

    def flush(self, number: int) -> None:
        found = os.fstat(number)
        if stat.S_ISDIR(found.st_mode):
            self.folders.setdefault(found.st_ino, Folder()).sync()
        else:
            self.files[found.st_ino] = self.latest.get(found.st_ino, b"")

    def wrote(self, path: Path) -> None:
        self.latest[_inode(path)] = path.read_bytes()

    def named(self, path: Path, inode: int) -> None:
        """Note that *path* stands for *inode* from now on, for nothing when it is -1."""
        if path.parent.exists():
            self.folders.setdefault(_inode(path.parent), Folder()).since.append((path.name, inode))

    def synced_files(self) -> dict[str, bytes]:
        """Return the files that survive any loss of power, by path below the root."""
        return self._tree(lambda folder: 0, lambda inode: self.files.get(inode, b""))

    def lose_power(self, rng: random.Random, left: str = "") -> None:
        """
        Put into the real folder what a loss of power leaves.

        Args:
            rng: Decides what *left* leaves open.

            left: One of ``LEFT``; ``""`` for any prefix of the names, and of each file any part of the bytes.
        """

        def names(folder: Folder) -> int:
            return rng.randint(0, len(folder.since)) if not left else 0 if left == "dropped" else len(folder.since)

        kept = self._tree(names, lambda inode: self._torn(inode, rng, left), folders=True)
        shutil.rmtree(self.root, onerror=_make_writable)
        self.root.mkdir(mode=0o700)
        for name, data in kept.items():
            path = self.root / name.rstrip("/")
            if name.endswith("/"):
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
            else:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                path.write_bytes(data)
                path.chmod(0o600)
        self.learn(self.root)

    def _torn(self, inode: int, rng: random.Random, left: str) -> bytes:
        synced, latest = self.files.get(inode, b""), self.latest.get(inode, b"")
        if left in {"dropped", "kept"} or synced == latest:
            return latest if left == "kept" else synced
        if not latest.startswith(synced):
            return rng.choice((synced, latest, b""))
        more = len(latest) - len(synced)
        block = rng.choice(BLOCKS_BYTES)
        cut = rng.choice((0, more, rng.randint(0, more), rng.randint(0, more) // block * block))
        cut = {"cut": rng.randint(0, more - 1), "holed": more}.get(left, cut)
        kept = bytearray(latest[: len(synced) + cut])
        if left == "holed" or (not left and cut and rng.random() < 0.3):
            # The size reached the platter, a block of the data did not.
            start = (len(synced) + rng.randint(0, cut - 1)) // block * block
            start, end = max(start, len(synced)), min(start + block, len(kept))
            kept[start:end] = bytes(end - start)
        return bytes(kept)

    def _tree(
        self, kept: Callable[[Folder], int], content: Callable[[int], bytes], *, folders: bool = False
    ) -> dict[str, bytes]:
        found: dict[str, bytes] = {}

        def walk(inode: int, prefix: str) -> None:
            folder = self.folders.get(inode, Folder())
            for name, number in sorted(folder.names(kept(folder)).items()):
                if number in self.folders:
                    if folders:
                        found[f"{prefix}{name}/"] = b""
                    walk(number, f"{prefix}{name}/")
                else:
                    found[prefix + name] = content(number)

        walk(_inode(self.root), "")
        return found


class SimDisk(Disk):
    """The disk of one process; every call is a place where it may end, or fail."""

    def __init__(self, platter: Platter, points: Points) -> None:
        self._platter = platter
        self._points = points
        self._full = False

    def flush(self, number: int) -> None:
        """Bring it to the platter; the process may end before, or be told that it failed."""
        self._fail(self._points.reach("disk.unsynced", "fsync"))
        self._platter.flush(number)

    def create(self, path: Path, data: bytes, *, mode: int = FILE_MODE) -> None:
        self._before("create", path)
        self._amid(lambda: Disk.create(self, path, data[: len(data) // 2], mode=mode), path, new=True)
        with _noted(self, path, new=True):
            super().create(path, data, mode=mode)

    def append(self, path: Path, data: bytes) -> None:
        self._before("append", path)
        self._amid(lambda: Disk.append(self, path, data[: len(data) // 2]), path, new=False)
        with _noted(self, path, new=False):
            super().append(path, data)

    def truncate(self, path: Path, size_bytes: int) -> None:
        self._before("truncate", path)
        with _noted(self, path, new=False):
            super().truncate(path, size_bytes)

    def link(self, source: Path, target: Path) -> None:
        self._before("link", target)
        super().link(source, target)
        self._platter.named(target, _inode(target))

    def remove(self, path: Path) -> None:
        self._before("remove", path)
        super().remove(path)
        self._platter.named(path, -1)

    def rename(self, source: Path, target: Path) -> None:
        self._before("rename", target)
        super().rename(source, target)
        self._platter.named(source, -1)
        self._platter.named(target, _inode(target))

    def make_folder(self, path: Path) -> None:
        self._before("mkdir", path)
        super().make_folder(path)
        self._platter.named(path, _inode(path))
        self._platter.folders.setdefault(_inode(path), Folder())

    def set_mode(self, path: Path, mode: int) -> None:
        self._before("chmod", path)
        super().set_mode(path, mode)

    def note(self, path: Path, *, new: bool) -> None:
        """Tell the platter what a process sees of a file now."""
        if path.exists():
            if new:
                self._platter.files.pop(_inode(path), None)
                self._platter.named(path, _inode(path))
            self._platter.wrote(path)

    def _before(self, what: str, path: Path) -> None:
        self._fail(self._points.reach("disk.before", f"{what} {_kind_of(path)}"))

    def _amid(self, half: Callable[[], None], path: Path, *, new: bool) -> None:
        """Stop, or fill up, when half is written."""
        was, self._points.quiet = self._points.quiet, False
        try:
            fault = self._points.reach("disk.amid", _kind_of(path))
        except BaseException:
            self._half(half, path, new=new)
            raise
        finally:
            self._points.quiet = was
        if fault:
            self._half(half, path, new=new)
            self._fail(fault)

    def _half(self, half: Callable[[], None], path: Path, *, new: bool) -> None:
        was, self._points.quiet = self._points.quiet, True
        try:
            half()
        finally:
            self._points.quiet = was
        self.note(path, new=new)

    def _fail(self, fault: str) -> None:
        if fault in {"enospc", "eio"}:
            number = errno.ENOSPC if fault == "enospc" else errno.EIO
            raise OSError(number, os.strerror(number))


class _noted:  # noqa: N801 - reads as a word in a with statement
    """Tells the platter what was written, just before it is synced: ``flush`` must find it there."""

    def __init__(self, disk: SimDisk, path: Path, *, new: bool) -> None:
        self._disk, self._path, self._new = disk, path, new
        self._flush = disk.flush

    def __enter__(self) -> None:
        def flush(number: int) -> None:
            self._disk.note(self._path, new=self._new)
            self._flush(number)

        self._disk.flush = flush  # type: ignore[method-assign]

    def __exit__(self, *error: object) -> None:
        del self._disk.flush
        self._disk.note(self._path, new=False)


def _inode(path: Path) -> int:
    return path.lstat().st_ino


def _kind_of(path: Path) -> str:
    """Return what kind of file this is, the same in every run."""
    name = path.name
    if "tmp" in name.rsplit(".", 1)[-1]:
        return "a new version of " + name.strip(".").split(".")[0]
    return "a set" if "partial" in name else name.split("-")[0] if path.suffix == "" else name


def _make_writable(act: Callable[[str], None], path: str, info: object) -> None:
    del info
    Path(path).parent.chmod(0o700)
    Path(path).chmod(0o700)
    act(path)
