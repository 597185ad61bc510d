"""The person at the terminal: questions, answers given by flags, and signals that ask to stop."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from types import FrameType

from migrate.cli.settings import Settings
from migrate.cli.terminal import ask_yes, can_ask, say
from migrate.engine.ports import Answer
from migrate.records.plan import Ask
from migrate.render.escape import escaped

_TICK_S = 0.2
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop:
    """Remembers the first signal; the second one ends the process at once, the journal being intact either way."""

    def __init__(self) -> None:
        self.signal = 0
        self._asking = False

    def take(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal: at a question it is the end of the asking, else the run stops when it safely can."""
        del frame
        if self.signal:
            os._exit(128 + number)
        # A terminal that hangs up asks to stop as well; whoever said nohup ignores it, and so do we.
        self.signal = signal.SIGTERM if number == signal.SIGHUP else number
        if self._asking:
            raise KeyboardInterrupt
        with suppress(OSError):
            # Not by way of the buffered stream: the signal may have come in the middle of a line.
            os.write(2, b"stopping at the next safe point; press Ctrl-C again to end at once\n")

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Let a signal end the wait for an answer at once."""
        self._asking = True
        try:
            yield
        finally:
            self._asking = False

    @contextmanager
    def listening(self) -> Iterator["Stop"]:
        """Take SIGINT, SIGTERM and SIGHUP while a run is going on."""
        taken = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self.take) for number in taken}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class TerminalPerson:
    """Asks on the terminal; ``--yes`` answers the ordinary question, and an Ask step as "not reviewed"."""

    def __init__(self, settings: Settings, stop: Stop, *, yes: bool) -> None:
        self._settings = settings
        self._stop = stop
        self._yes = yes

    def ask(self, step: Ask) -> Answer | None:
        """Name what is to be reviewed and wait for the answer."""
        for name in step.names:
            say(f"  review: {escaped(name)}", always=True)
        if self._yes:
            return Answer(yes=True, how="--yes")
        if not can_ask(self._settings):
            return None
        return Answer(yes=self._answered(escaped(step.question)), how="terminal")

    def stop_requested(self) -> int:
        """Return the signal that was taken, 0 when none was."""
        return self._stop.signal

    def confirm(self, question: str) -> bool | None:
        """Ask the ordinary question."""
        if self._yes:
            return True
        if not can_ask(self._settings):
            return None
        return self._answered(escaped(question, keep_lines=True))

    def _answered(self, question: str) -> bool:
        with self._stop.asking():
            return ask_yes(question)


class SystemClock:
    """The clock of the machine. A sleep ends early when a stop is asked for."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop

    def now(self) -> datetime:
        """Return the time, UTC."""
        return datetime.now(UTC)  # noqa: TID251 - this is the Clock that others ask

    def monotonic(self) -> float:
        """Return seconds that never go back, and go on while the machine sleeps: a lease grows old meanwhile."""
        boot = getattr(time, "CLOCK_BOOTTIME", None)
        return time.monotonic() if boot is None else time.clock_gettime(boot)

    def sleep(self, seconds: float) -> None:
        """Wait *seconds*, or until a stop is asked for."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self._stop.signal:
            time.sleep(min(left, _TICK_S))  # noqa: TID251 - this is the Clock that others ask

    def sleep_through(self, seconds: float) -> None:
        """Wait *seconds*, whatever is asked for."""
        time.sleep(max(0.0, seconds))  # noqa: TID251 - this is the Clock that others ask
