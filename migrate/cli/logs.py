"""The log: structured events on stderr or in a file; the trace of a fault of ours in a file of its own."""

import logging
import os
import sys
import tempfile
import traceback
from typing import TextIO

import structlog

from migrate.cli.settings import Settings


def start_logging(settings: Settings) -> None:
    """Send log events where the flags say; without flags only warnings reach stderr."""
    level = logging.WARNING if settings.verbose < 1 else logging.INFO if settings.verbose < 2 else logging.DEBUG
    as_json = settings.log_format == "json"
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(colors=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG if settings.log_file else level),
        logger_factory=structlog.PrintLoggerFactory(file=_stream(settings)),
        cache_logger_on_first_use=False,
    )


def _stream(settings: Settings) -> TextIO:
    if not settings.log_file:
        return sys.stderr
    descriptor = os.open(settings.log_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    return os.fdopen(descriptor, "a", encoding="utf-8", buffering=1)


def write_trace(error: BaseException) -> str:
    """Write the trace of *error* to a new private file and return its path."""
    handle, name = tempfile.mkstemp(prefix="maas-migrate-trace-", suffix=".log")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(traceback.format_exception(error))
    return name
