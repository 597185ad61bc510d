"""One table of exit codes: in code, on the page, and for every error class."""

import re
from pathlib import Path

import pytest

from migrate import errors
from migrate.errors import PRECEDENCE, ExitCode, MigrateError, first_of

PAGE = Path(__file__).parents[2] / "docs" / "exit-codes.md"
PUBLIC = Path(__file__).parents[3] / "shared" / "cli.md"


def classes(base: type[MigrateError] = MigrateError) -> list[type[MigrateError]]:
    return [base, *(found for child in base.__subclasses__() for found in classes(child))]


def codes_in(text: str) -> set[int]:
    return {int(code) for row in re.findall(r"^\| ([0-9, ]+) \|", text, re.MULTILINE) for code in row.split(",")}


def test_the_page_and_the_code_hold_the_same_codes() -> None:
    rows = re.findall(r"^\| (\d+) \| (\w+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    assert {(int(code), name) for code, name in rows} == {(code.value, code.name) for code in ExitCode}


@pytest.mark.parametrize("error", classes(), ids=lambda found: found.__name__)
def test_every_error_class_has_one_code_of_the_table_and_a_reason(error: type[MigrateError]) -> None:
    assert error.exit_code in ExitCode
    assert re.fullmatch(r"[A-Z][A-Za-z]+", error.reason)


def test_every_class_of_the_module_is_in_the_tree() -> None:
    found = {thing for thing in vars(errors).values() if isinstance(thing, type) and issubclass(thing, MigrateError)}

    assert found <= set(classes())


def test_every_error_needs_a_resolution() -> None:
    with pytest.raises(TypeError):
        MigrateError("without a next move")  # type: ignore[call-arg]


def test_the_first_code_in_the_order_wins() -> None:
    assert first_of(ExitCode.BLOCKED, ExitCode.RISK_NOT_ACCEPTED, ExitCode.NOT_AUTHORISED) is ExitCode.NOT_AUTHORISED
    assert first_of() is ExitCode.OK
    assert len(set(PRECEDENCE)) == len(PRECEDENCE)


@pytest.mark.skipif(not PUBLIC.exists(), reason="the public contract lies outside this checkout; CI has it")
def test_the_codes_are_those_of_the_public_contract() -> None:
    section = PUBLIC.read_text(encoding="utf-8").split("## Exit codes")[1].split("## Documents")[0]

    assert codes_in(section) == {code.value for code in ExitCode}
