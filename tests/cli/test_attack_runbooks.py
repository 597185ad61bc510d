"""A runbook of one's own with a fault in it: file, line and field are named, and nothing is planned."""

from pathlib import Path

import pytest

from migrate.store.runbooks import parse_runbook
from tests.cli.conftest import Call

SHIPPED = (Path(__file__).resolve().parents[2] / "runbooks" / "ipp-to-praxis.yaml").read_text(encoding="utf-8")


def line_of(text: str, words: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if words in line)


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        pytest.param("uses: back-up", "uses: nonsense", "phases[0].steps[1].uses", id="unknown-step"),
        pytest.param("id: dry-run", "id: ../x", "phases[0].steps[2].id", id="id-that-is-a-path"),
        pytest.param("goal:", "gaol:", "gaol", id="misspelt-field"),
        pytest.param("attempts: 3", "attempts: many", "$.phases[0].steps[0].attempts", id="wrong-type"),
    ],
)
def test_what_is_wrong_is_named_by_file_line_and_field(
    call: Call, tmp_path: Path, old: str, new: str, field: str
) -> None:
    text = SHIPPED.replace(old, new, 1)
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    assert text != SHIPPED

    said = call("runbook", "validate", str(path))

    assert (said.code, said.out) == (3, "")
    assert str(path) in said.err
    assert field in said.err
    assert f"line {line_of(text, new)}" in said.err


def test_the_shipped_text_is_what_the_others_are_made_from() -> None:
    assert parse_runbook(SHIPPED.encode(), "it").name == "ipp-to-praxis"
