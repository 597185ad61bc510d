"""What a window that cannot be used is answered with."""

from datetime import UTC, datetime

import pytest

from migrate.commands.windows import WindowFlags, maybe_window, must_have_window
from migrate.errors import BadInputError
from migrate.records.window import NO_WINDOW

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "flags",
    [
        WindowFlags(window="tonight"),
        WindowFlags(window="now+60m", cutoff="70m"),
        WindowFlags(window="now+60m", timezone="Mars/X"),
    ],
    ids=lambda flags: f"{flags.window} {flags.timezone} {flags.cutoff}",
)
def test_the_answer_says_that_nothing_was_written_and_how_to_write_it(flags: WindowFlags) -> None:
    with pytest.raises(BadInputError) as refused:
        must_have_window(flags, {}, NOW)

    flag, _, told = refused.value.message.partition(": ")
    assert told.endswith("; nothing was written.")
    assert f"{flag} " in refused.value.resolution
    with pytest.raises(BadInputError, match=flag):
        maybe_window(flags, NOW)


def test_a_rollback_without_a_window_has_none() -> None:
    assert maybe_window(WindowFlags(), NOW) == maybe_window(WindowFlags(window=NO_WINDOW), NOW)
