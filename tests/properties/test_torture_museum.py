"""
Goal: the tests are tested: a bug that is planted is found.

Method: each exhibit of the museum is planted and its story lived through; the same story without a bug finds nothing.
Two checks of the disk have named tests of their own; those are run with the check taken out.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from migrate.records.journal import Event
from migrate.store import backup_set, journal_file
from tests.properties import test_store_damage as damage
from tests.torture.museum import EXHIBITS, Exhibit, Lead, follow, shown
from tests.torture.plantings import Planting

LEADS = {id(exhibit.lead): exhibit.lead for exhibit in EXHIBITS}


def test_the_museum_has_as_many_exhibits_as_promised() -> None:
    assert len({exhibit.name for exhibit in EXHIBITS}) + len(NAMED) >= 25


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name.replace(" ", "-"))
def test_a_planted_bug_is_found(exhibit: Exhibit) -> None:
    with shown(exhibit.planting):
        assert follow(exhibit.lead) != []


@pytest.mark.parametrize("lead", LEADS.values(), ids=range(len(LEADS)))
def test_the_same_story_without_a_bug_violates_nothing(lead: Lead) -> None:
    assert follow(lead) == []


def _unchecked(path: Path, number: int, line: bytes, previous: str) -> Event:
    del path, number, previous
    return damage_free(line)


def damage_free(line: bytes) -> Event:
    import msgspec  # noqa: PLC0415 - only here

    try:
        return msgspec.json.decode(line, type=Event)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Event(seq=0, at="", event="note")


def _sets_unchecked(self: Any, folder: Path) -> Any:
    del self, folder
    return ()


NAMED: tuple[tuple[str, Planting, Callable[[Path], object]], ...] = (
    (
        "the hash chain is not looked at",
        Planting(((journal_file, "_checked", _unchecked),)),
        damage.test_every_flipped_bit_of_a_journal_is_found,
    ),
    (
        "missing lines are not looked for",
        Planting(((journal_file, "_checked", _unchecked),)),
        lambda path: damage.test_a_missing_line_is_found(path, 0),
    ),
    (
        "files of a set are not looked for",
        Planting(((backup_set.BackupSets, "_must_be_complete", lambda *_: None),)),
        damage.test_an_extra_file_is_found,
    ),
)


@pytest.mark.parametrize(("name", "planting", "test"), NAMED, ids=[name.replace(" ", "-") for name, _, _ in NAMED])
def test_a_check_that_is_taken_out_is_missed_by_its_test(
    name: str, planting: Planting, test: Callable[[Path], object], tmp_path: Path
) -> None:
    with shown(planting), pytest.raises((AssertionError, pytest.fail.Exception)):
        test(tmp_path)
