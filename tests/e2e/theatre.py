"""
Stories that are played side by side.

A story spends its time waiting for other processes, so those of one module run at the same time, a
few at once; the test of each waits for its own and fails with what it raised. Each has a cluster of
its own, or the one that its module shares.
"""

import re
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.stage import Options, Stage, opened

AT_ONCE = 6
MARKS = ("story", "scene")


class Theatre:
    """Where stories are played; the first one that is asked for starts all that were chosen of its module."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._playing: dict[str, Future[None]] = {}
        self._halls = ThreadPoolExecutor(AT_ONCE)
        self._shared: dict[Path, Stage] = {}
        self._lock = threading.Lock()
        self._doors = ExitStack()

    def see(self, item: pytest.Function) -> None:
        """Return when the story of *item* is over; raise what it raised."""
        if item.nodeid not in self._playing:
            for other in item.session.items:
                if other.path == item.path and isinstance(other, pytest.Function) and is_played(other):
                    self._playing[other.nodeid] = self._halls.submit(self._play, other)
        self._playing[item.nodeid].result()

    def _play(self, item: pytest.Function) -> None:
        if item.get_closest_marker("scene") is not None:
            item.obj(stage=self._shared_stage(item.path), **_parameters(item))
            return
        options: dict[str, Any] = {}
        for marker in reversed(list(item.iter_markers("story"))):
            options |= marker.kwargs
        name = re.sub(r"\W+", "-", item.name)[-60:]
        with opened(self._place / f"{item.path.stem}-{name}", Options(**options)) as stage:
            item.obj(stage=stage, **_parameters(item))

    def _shared_stage(self, module: Path) -> Stage:
        with self._lock:
            if module not in self._shared:
                place = self._place / f"{module.stem}-shared"
                self._shared[module] = self._doors.enter_context(opened(place, Options()))
            return self._shared[module]

    def close(self) -> None:
        """Drop what has not begun, wait for what still plays, and stop the shared clusters."""
        self._halls.shutdown(cancel_futures=True)
        self._doors.close()


def is_played(item: pytest.Item) -> bool:
    """Whether a test is played in the theatre."""
    return any(item.get_closest_marker(name) for name in MARKS)


def _parameters(item: pytest.Function) -> dict[str, Any]:
    callspec = getattr(item, "callspec", None)
    return dict(callspec.params) if callspec else {}
