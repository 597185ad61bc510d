"""
Bytes that reach the disk whole or not at all.

Every durable step goes through a ``Disk``, so that a test can stop the world before or after each of them.
"""

import os
import secrets
import shlex
import stat
from pathlib import Path

from migrate.errors import BadInputError, MigrateError, StoreError

LARGEST_BYTES = 512 * 1024 * 1024
"""The largest file that is read; a cluster's snapshot is a few hundred MiB at most."""

FILE_MODE, FOLDER_MODE = 0o600, 0o700
SEALED_FILE_MODE, SEALED_FOLDER_MODE = 0o400, 0o500


class Disk:
    """The calls that change the disk. Each raises OSError as the system does."""

    def flush(self, number: int) -> None:
        """Bring an open file or folder to the platter."""
        os.fsync(number)

    def create(self, path: Path, data: bytes, *, mode: int = FILE_MODE) -> None:
        """Write a new file and fsync it; never an existing one, never through a symlink."""
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        try:
            _write_all(number, data)
            self.flush(number)
        finally:
            os.close(number)

    def append(self, path: Path, data: bytes) -> None:
        """Append to a file and fsync it."""
        number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _write_all(number, data)
            self.flush(number)
        finally:
            os.close(number)

    def truncate(self, path: Path, size_bytes: int) -> None:
        """Cut a file and fsync it."""
        number = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.ftruncate(number, size_bytes)
            self.flush(number)
        finally:
            os.close(number)

    def link(self, source: Path, target: Path) -> None:
        """Give a file a second name; fails when the name is taken."""
        os.link(source, target, follow_symlinks=False)

    def remove(self, path: Path) -> None:
        """Remove a file."""
        path.unlink()

    def rename(self, source: Path, target: Path) -> None:
        """Rename a file or folder."""
        source.rename(target)

    def make_folder(self, path: Path) -> None:
        """Make a folder, mode 0700."""
        path.mkdir(mode=FOLDER_MODE)

    def set_mode(self, path: Path, mode: int) -> None:
        """Set the mode of a file or folder."""
        path.chmod(mode, follow_symlinks=True)

    def sync_folder(self, path: Path) -> None:
        """Fsync a folder, so that names in it survive a power loss."""
        number = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self.flush(number)
        finally:
            os.close(number)


DISK = Disk()


def _write_all(number: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(number, view) :]


def save(path: Path, data: bytes, *, disk: Disk = DISK, replace: bool = False, by_user: bool = False) -> None:
    """
    Write *data* to *path*: temp file, fsync, rename, fsync of the folder, read back, compare.

    An existing file is only replaced with *replace*; without it one with the same bytes is left as it is.

    Raises:
        StoreError: It could not be written, or another one is there. The old file, if any, is whole.

        BadInputError: The same, for a file that the user named (*by_user*).
    """
    if not replace and os.path.lexists(path):
        if load(path, by_user=by_user) == data:
            return
        raise problem(
            f"{path} exists already with another content; it was not changed",
            by_user=by_user,
            resolution="Look at it and move it away, or name another file.",
        )
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        disk.create(temporary, data)
        if replace:
            disk.rename(temporary, path)
        else:
            disk.link(temporary, path)
            disk.remove(temporary)
        disk.sync_folder(path.parent)
    except OSError as error:
        _forget(temporary, disk)
        raise failed(path, "written", error, by_user=by_user) from error
    if load(path) != data:
        raise problem(
            f"{path} does not read back as it was written",
            by_user=by_user,
            resolution="Check the disk; use another --state-dir.",
        )


def _forget(temporary: Path, disk: Disk) -> None:
    try:
        disk.remove(temporary)
    except OSError:
        return  # It was not made, or the disk is gone; either way the name starts with a dot and is never read.


def load(path: Path, *, by_user: bool = False, largest_bytes: int = LARGEST_BYTES) -> bytes:
    """
    Return the bytes of a regular file, never through a symlink unless the user named it.

    Raises:
        StoreError: It cannot be read, is no regular file or is too large.

        BadInputError: The same, for a file that the user named (*by_user*).
    """
    try:
        number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if by_user else os.O_NOFOLLOW))
    except (OSError, ValueError) as error:
        raise failed(path, "read", error, by_user=by_user) from error
    try:
        mode = os.fstat(number).st_mode
        if not (stat.S_ISREG(mode) or (by_user and stat.S_ISFIFO(mode))):
            raise problem(f"{path} is not a regular file", by_user=by_user)
        os.set_blocking(number, True)
        with os.fdopen(number, "rb", closefd=False) as file:
            data = file.read(largest_bytes + 1)
    except OSError as error:
        raise failed(path, "read", error, by_user=by_user) from error
    finally:
        os.close(number)
    if len(data) > largest_bytes:
        raise problem(f"{path} is larger than {largest_bytes} bytes and was not read", by_user=by_user)
    return data


def is_there(path: Path) -> bool:
    """Return whether something lies at *path*, links followed; a name that no system takes is that of nothing."""
    try:
        path.stat()
    except (OSError, ValueError):
        return False
    return True


def is_folder(path: Path) -> bool:
    """Return whether a folder lies at *path*, links followed."""
    return is_there(path) and path.is_dir()


def must_have_folder(path: Path) -> None:
    """Raise BadInputError unless the folder that *path*, which the user named, is to lie in is there; none is made."""
    if not is_folder(path.parent):
        raise BadInputError(
            f"{path} cannot be written: there is no folder {path.parent}; nothing was written",
            resolution=f"Make it with 'mkdir -p {shlex.quote(str(path.parent))}', or name another place.",
        )


def problem(message: str, *, by_user: bool = False, resolution: str = "") -> MigrateError:
    """Return the error for something wrong with a file: 3 when the user named it, 24 in the state dir."""
    if by_user:
        return BadInputError(message, resolution=resolution or "Name another file.")
    return StoreError(message, resolution=resolution or "Restore the state dir from a copy; nothing was changed.")


def failed(path: Path, verb: str, error: OSError | ValueError, *, by_user: bool = False) -> MigrateError:
    """Return the error for a system call that failed."""
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    where = shlex.quote(str(path.parent))
    if by_user and verb == "read":
        move = f"Check its name and its modes: ls -la {where}"
    else:
        move = f"Check the path, its modes and the space on the disk: ls -la {where}; df {where}"
    return problem(f"{path} cannot be {verb}: {why}", by_user=by_user, resolution=move)
