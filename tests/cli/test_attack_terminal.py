"""On a real pseudo-terminal: questions, the ways out of them, and colour."""

import os
import pty
import select
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.e2e.stage import Stage, program

CTRL_C, CTRL_D = b"\x03", b"\x04"
LONGEST_S = 60


@contextmanager
def on_a_terminal(words: list[str], environment: dict[str, str]) -> Iterator[tuple[int, int]]:
    """Run *words* on a terminal of its own; gives the process and the terminal."""
    child, screen = pty.fork()
    if not child:
        os.execve(words[0], words, environment)
    try:
        yield child, screen
    finally:
        os.close(screen)


def played(words: list[str], environment: dict[str, str], *, cue: bytes = b"", keys: bytes = b"") -> tuple[int, str]:
    """Return the exit code and all that stood on the screen; *keys* are typed when *cue* shows."""
    with on_a_terminal(words, environment) as (child, screen):
        shown, typed = b"", False
        with suppress(OSError):  # A terminal whose program has ended reads as an error.
            while select.select([screen], [], [], LONGEST_S)[0]:
                shown += os.read(screen, 65536)
                if cue and cue in shown and not typed:
                    typed = True
                    os.write(screen, keys)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode()


@pytest.mark.parametrize(
    ("keys", "code", "words"),
    [
        pytest.param(b"n\n", 16, "Not confirmed; nothing was written", id="no"),
        pytest.param(b"\n", 16, "Not confirmed; nothing was written", id="enter"),
        pytest.param(CTRL_D, 16, "Not confirmed; nothing was written", id="end-of-input"),
        pytest.param(CTRL_C, 130, "Stopped at the question; nothing was written", id="ctrl-c"),
    ],
)
def test_the_question_ends_with_whatever_is_typed(stage: Stage, keys: bytes, code: int, words: str) -> None:
    call = [program("maas-migrate"), "apply", "--window", "now+90m"]

    ended, shown = played(call, stage.environment(TERM="xterm"), cue=b"[y/N]", keys=keys)

    assert (ended, words in shown) == (code, True), shown[-500:]
    assert list(Path(stage.state).glob("*/journal.jsonl")) == []


@pytest.mark.parametrize(
    ("more", "environment", "colour"),
    [
        pytest.param([], {"TERM": "xterm"}, True, id="terminal"),
        pytest.param([], {"TERM": "dumb"}, False, id="dumb"),
        pytest.param([], {"TERM": "xterm", "NO_COLOR": "1"}, False, id="no-color"),
        pytest.param(["--color", "never"], {"TERM": "xterm"}, False, id="never"),
    ],
)
def test_colour_belongs_on_a_terminal_that_wants_it(
    stage: Stage, more: list[str], environment: dict[str, str], colour: bool
) -> None:
    ended, shown = played([program("maas-migrate"), "check", *more], stage.environment(**environment))

    assert (ended, "\x1b[" in shown) == (2, colour)
