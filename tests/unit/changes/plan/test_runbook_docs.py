"""The page about runbooks names every maker, every field and every shipped runbook."""

from pathlib import Path

import pytest

from migrate.changes.plan_runbook import MAKERS
from migrate.records.runbook import Phase, Runbook, RunbookStep
from tests.unit.changes.plan.stories import RUNBOOKS

TEXT = (Path(__file__).parents[4] / "docs" / "runbook-format.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("maker", sorted(MAKERS))
def test_the_page_names_each_maker_and_where_it_may_stand(maker: str) -> None:
    assert f"| `{maker}` | {MAKERS[maker]} |" in TEXT


@pytest.mark.parametrize("record", [Runbook, Phase, RunbookStep])
def test_the_page_names_each_field(record: type[Runbook]) -> None:
    missing = [
        field for field in record.__struct_encode_fields__ if not any(f"{field}{end}`" in TEXT for end in ("", "[]"))
    ]

    assert missing == []


def test_the_page_names_each_shipped_runbook() -> None:
    assert all(f"| `{path.stem}` |" in TEXT for path in RUNBOOKS.glob("*.yaml"))
