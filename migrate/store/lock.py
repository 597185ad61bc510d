"""One process a run, and one that begins one: a lock on a file, which the system drops when the process ends."""

import fcntl
import os
from pathlib import Path
from types import TracebackType

from migrate.errors import RunLockedError
from migrate.store.atomic import FILE_MODE, failed


class RunLock:
    """
    A context in which no other process works on the run.

    Raises RunLockedError, on entering, when another process does.
    """

    def __init__(self, path: Path, run: str = "") -> None:
        self._path = path / "lock"
        self._run = run
        self._what = f"works on the run {run}" if run else f"begins a run in {path}"
        self._number = -1

    def __enter__(self) -> "RunLock":
        try:
            self._number = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
        except OSError as error:
            raise failed(self._path, "opened", error) from error
        try:
            fcntl.flock(self._number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(self._number, 64, 0).decode("ascii", "replace").strip()
            os.close(self._number)
            raise RunLockedError(
                f"another process{f' (pid {holder})' if holder else ''} {self._what}; nothing was written",
                resolution="Wait for it to end, or stop it; then run again.",
                run=self._run,
            ) from error
        os.ftruncate(self._number, 0)
        os.pwrite(self._number, f"{os.getpid()}\n".encode(), 0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._number)


def is_locked(run_path: Path) -> bool:
    """Return whether a process works on the run now."""
    try:
        number = os.open(run_path / "lock", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(number)
    return False
