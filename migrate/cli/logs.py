"""
The log: structured events on stderr, in a file, in a run's folder; the trace of a fault of ours.

Rooms write with the standard library's ``logging``; nothing is configured, and ``structlog`` not even
imported, until a flag or a run asks for it. A log that cannot be written any more never stops a run.
"""

import logging
import os
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from migrate.cli.settings import Settings
from migrate.errors import BadInputError
from migrate.store.atomic import must_have_folder

ROOT: Final = "migrate"
_LEVELS: Final = (logging.WARNING, logging.INFO, logging.DEBUG)
_kept: list[logging.Handler] = []


class _Quietly(logging.StreamHandler):  # type: ignore[type-arg]  # generic for the checker only, not at run time
    """A handler that a full disk does not make loud."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """Lose the record."""


def start_logging(settings: Settings) -> None:
    """
    Send log events where the flags say; without flags nothing is set up.

    Raises:
        BadInputError: The log file cannot be opened.
    """
    stop_logging()
    if settings.verbose:
        level = _LEVELS[min(settings.verbose, len(_LEVELS) - 1)]
        _keep(logging.StreamHandler(sys.stderr), level, as_json=settings.log_format == "json")
    if settings.log_file:
        must_have_folder(Path(settings.log_file))
        handler = _file(Path(settings.log_file), by_user=True)
        _keep(handler, logging.DEBUG, as_json=settings.log_format == "json")


def stop_logging() -> None:
    """Take away what an earlier call in this process set up."""
    while _kept:
        handler = _kept.pop()
        logging.getLogger(ROOT).removeHandler(handler)
        if isinstance(handler, _Quietly):
            handler.stream.close()


@contextmanager
def logging_into(path: Path) -> Iterator[None]:
    """Append the log to *path* as JSON lines meanwhile, when it can be opened."""
    try:
        handler = _file(path)
    except BadInputError as error:
        logging.getLogger(__name__).warning("log.not_written", extra={"path": str(path), "why": error.message})
        yield
        return
    _dress(handler, logging.DEBUG, as_json=True)
    try:
        yield
    finally:
        logging.getLogger(ROOT).removeHandler(handler)
        handler.stream.close()


def _file(path: Path, *, by_user: bool = False) -> _Quietly:
    follow = 0 if by_user else os.O_NOFOLLOW
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | follow, 0o600)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise BadInputError(
            f"The log file {path} cannot be written: {why}.", resolution="Name another with --log-file."
        ) from error
    return _Quietly(os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace", buffering=1))


def _keep(handler: logging.Handler, level: int, *, as_json: bool) -> None:
    _dress(handler, level, as_json=as_json)
    _kept.append(handler)


def _dress(handler: logging.Handler, level: int, *, as_json: bool) -> None:
    handler.setLevel(level)
    handler.setFormatter(_formatter(as_json=as_json))
    log = logging.getLogger(ROOT)
    log.setLevel(logging.DEBUG)
    log.addHandler(handler)


def _formatter(*, as_json: bool) -> logging.Formatter:
    import structlog  # noqa: PLC0415 - a tenth of a second that a call without a log does not pay

    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.stdlib.add_log_level,
            structlog.stdlib.ExtraAdder(),
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer() if as_json else structlog.processors.LogfmtRenderer(
                key_order=["timestamp", "level", "event"], bool_as_flag=False
            ),
        ],
    )  # fmt: skip


def write_trace(error: BaseException) -> str:
    """Write the trace of *error* to the log and to a new private file; return the file's path."""
    logging.getLogger(__name__).debug("program.faulted", exc_info=error)
    handle, name = tempfile.mkstemp(prefix="maas-migrate-trace-", suffix=".log")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(traceback.format_exception(error))
    return name
