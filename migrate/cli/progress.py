"""Progress on the screen: the journal read live, and one line for what is waited for."""

import logging
from collections.abc import Mapping
from typing import Any, Final

from migrate.cli.terminal import say
from migrate.engine.hands import Waiting
from migrate.engine.ports import Journal
from migrate.records.journal import Event, EventName
from migrate.render.escape import escaped
from migrate.render.tables import duration

_SAID_EVERY_S = 10.0
_LOG = logging.getLogger(__name__)
_LOGGED: Final = ("attempt", "verb", "object", "reason", "message", "text")


def _log(event: Event) -> None:
    parts = {"words" if key == "message" else key: event.data[key] for key in _LOGGED if event.data.get(key)}
    _LOG.info(event.event, extra={"step": event.step, "seq": event.seq, **parts})


class ShowingJournal:
    """A Journal that shows what is written to it, and passes it on."""

    def __init__(self, inner: Journal) -> None:
        self._inner = inner

    def append(self, event: EventName, *, step: str = "", data: Mapping[str, Any] | None = None) -> Event:
        """Write one event; it is on disk when this returns."""
        written = self._inner.append(event, step=step, data=data)
        _log(written)
        line = event_line(written)
        if line:
            say(line)
        return written

    def events(self) -> tuple[Event, ...]:
        """Return all events so far."""
        return self._inner.events()


def event_line(event: Event) -> str:
    """Return the line that shows *event*, ``""`` for one that is of no interest on a screen."""
    data = event.data
    words = escaped(data.get("message") or data.get("text") or "")
    match event.event:
        case "step.started":
            again = f" (attempt {data['attempt']})" if data.get("attempt", 1) > 1 else ""
            return f"> {escaped(event.step)}: {escaped(data.get('title', ''))}{again}"
        case "step.succeeded":
            return f"  done{': ' + words if words else ''}"
        case "step.skipped":
            return f"  not needed{': ' + words if words else ''}"
        case "step.failed":
            return f"  failed: {words}"
        case "write.applied":
            return f"  written: {escaped(data.get('object', ''))}" if data.get("object") else ""
        case "note" if data.get("kind") != "progress":
            return f"  note: {words}"
        case _:
            return ""


class WaitLine:
    """Says where a wait stands when that changes, and every ten seconds."""

    def __init__(self) -> None:
        self._said = ""
        self._at = -_SAID_EVERY_S

    def tell(self, waiting: Waiting) -> None:
        """Show *waiting* when there is something new to say."""
        what = waiting.says or (waiting.missing[0] if waiting.missing else "")
        if waiting.elapsed_s < self._at:
            self._at = -_SAID_EVERY_S
        if what == self._said and waiting.elapsed_s - self._at < _SAID_EVERY_S:
            return
        self._said, self._at = what, waiting.elapsed_s
        say(f"  {duration(waiting.elapsed_s)} of {duration(waiting.limit_s)}: {escaped(what)}")
