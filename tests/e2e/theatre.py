"""
Stories that are played side by side, each on a cluster of its own.

A story spends its time waiting for other processes, so those of one module run at the same time, a
few at once; the test of each waits for its own and fails with what it raised.
"""

import re
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.stage import Options, opened

AT_ONCE = 5


class Theatre:
    """Where stories are played; the first one that is asked for starts all that were chosen of its module."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._playing: dict[str, Future[None]] = {}
        self._halls = ThreadPoolExecutor(AT_ONCE)

    def see(self, item: pytest.Function) -> None:
        """Return when the story of *item* is over; raise what it raised."""
        if item.nodeid not in self._playing:
            for other in item.session.items:
                if other.path == item.path and isinstance(other, pytest.Function) and is_story(other):
                    self._playing[other.nodeid] = self._halls.submit(self._play, other)
        self._playing[item.nodeid].result()

    def _play(self, item: pytest.Function) -> None:
        options: dict[str, Any] = {}
        for marker in reversed(list(item.iter_markers("story"))):
            options |= marker.kwargs
        name = re.sub(r"\W+", "-", item.name)[-60:]
        with opened(self._place / f"{item.path.stem}-{name}", Options(**options)) as stage:
            item.obj(stage=stage, **_parameters(item))

    def close(self) -> None:
        """Drop what has not begun, and wait for what still plays."""
        self._halls.shutdown(cancel_futures=True)


def is_story(item: pytest.Item) -> bool:
    """Whether a test is played on a cluster of its own."""
    return item.get_closest_marker("story") is not None


def _parameters(item: pytest.Function) -> dict[str, Any]:
    callspec = getattr(item, "callspec", None)
    return dict(callspec.params) if callspec else {}
