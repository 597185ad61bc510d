"""The folder of a simulated world, forked with its process."""

import os
import shutil
from collections.abc import Iterator
from copy import copy
from pathlib import Path

from tests.torture.world import World


class Link:
    """The world's folder behind a symlink, so that a child can put a copy in its place."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._real = world.root.with_name(world.root.name + "-real")
        world.root.rename(self._real)
        world.root.symlink_to(self._real)
        self._copy = world.root.with_name(world.root.name + "-copy")

    def within(self) -> "Link":
        """Return a link for a child of a child: its folder is a copy of the copy."""
        inner = copy(self)
        inner._real, inner._copy = self._copy, self._copy.with_name(self._copy.name + "-again")
        return inner

    def take_a_copy(self) -> None:
        """Let the folder be a copy of what it was; in the child."""
        shutil.copytree(self._real, self._copy, copy_function=shutil.copy2)
        numbers = dict(zip(_numbers(self._real), _numbers(self._copy), strict=True))
        self._point_at(self._copy)
        for platter in self._world.hosts.values():
            platter.move(numbers)

    def take_back(self) -> None:
        """Let the folder be the real one again; in the parent."""
        self._point_at(self._real)
        if self._copy.exists():
            make_writable(self._copy)
            shutil.rmtree(self._copy)

    def _point_at(self, folder: Path) -> None:
        new = self._world.root.with_name(self._world.root.name + "-new")
        new.symlink_to(folder)
        new.replace(self._world.root)


def _numbers(root: Path) -> Iterator[int]:
    """Yield the inodes of *root* and of everything below it, by name."""
    yield root.lstat().st_ino
    for path in sorted(root.rglob("*")):
        yield path.lstat().st_ino


def make_writable(root: Path) -> None:
    """Let every folder below *root* be emptied."""
    for at, _, _ in os.walk(root):
        Path(at).chmod(0o700)
