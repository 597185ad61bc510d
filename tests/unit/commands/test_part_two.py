"""Part two: planned with part one's runbook wherever that came from, only at the gate, and only on 3.6."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from migrate.commands.part_two import way_on
from migrate.commands.plan import make_saved_plan
from migrate.commands.planning import PlanFlags, plan_from
from migrate.errors import BadInputError, BlockedError
from migrate.records.assessment import Risk
from migrate.records.plan import Plan
from migrate.render.plan_text import plan_text
from migrate.store.run_directory import StateDirectory
from tests import builders as b
from tests.fakes import TickingClock
from tests.unit.changes.rollback.runs import Journal
from tests.unit.commands.contexts import OneLive, a_context

ROOT = Path(__file__).resolve().parents[3]
RUN = "20261003t220000z-abcdef"


def ours(place: Path) -> str:
    """Write an edited copy of the shipped runbook under its own name; return its path."""
    text = (ROOT / "runbooks" / "upgrade-3.5-to-3.6.yaml").read_text(encoding="utf-8")
    file = place / "elsewhere" / "ours.yaml"
    file.parent.mkdir()
    file.write_text(text.replace("name: upgrade-3.5-to-3.6", "name: ours", 1), encoding="utf-8")
    return str(file)


def a_run(place: Path, runbook: str = "") -> Plan:
    context = a_context(place, OneLive)
    plan = plan_from(context, PlanFlags(runbook=runbook), b.a_snapshot(*b.a_cluster("3.5")))
    assert plan.forecast
    journal = Journal().begin(plan).gate()
    directory = StateDirectory(place / "state").create_run(RUN)
    directory.save("plan.json", plan)
    with directory.lock():
        log = directory.journal(TickingClock())
        for event in journal.events:
            log.append(event.event, step=event.step, data=event.data)
    return plan


def part_two(place: Path, release: str, *extra: Any, flags: PlanFlags | None = None) -> Plan:
    live = OneLive(snapshot=b.a_snapshot(*b.a_cluster(release), *extra))
    context = a_context(place, lambda: live)
    return make_saved_plan(context, flags or PlanFlags(), out="", run=RUN, detailed=False)[0]


def test_a_runbook_of_ones_own_is_carried_over_the_gate_though_its_file_is_gone(tmp_path: Path) -> None:
    file = ours(tmp_path)
    first = a_run(tmp_path, file)
    Path(file).unlink()

    second = part_two(tmp_path, "3.6")

    assert (second.part, second.run) == (2, RUN)
    assert second.runbook == first.runbook
    assert second.runbook.document is not None
    assert f"resume {RUN} --plan {second.id}" in plan_text(second)


def test_a_shipped_runbook_is_carried_by_its_name(tmp_path: Path) -> None:
    assert a_run(tmp_path).runbook.document is None
    assert part_two(tmp_path, "3.6").runbook.name == "upgrade-3.5-to-3.6"


def test_before_the_upgrade_there_is_no_part_two_to_plan(tmp_path: Path) -> None:
    a_run(tmp_path)

    with pytest.raises(BlockedError, match=r"still on 3\.5"):
        part_two(tmp_path, "3.5")


def test_a_run_past_its_gate_has_no_part_two_to_plan(tmp_path: Path) -> None:
    a_run(tmp_path)
    second = part_two(tmp_path, "3.6")
    StateDirectory(tmp_path / "state").open_run(RUN).save("plan-2.json", second)

    with pytest.raises(BadInputError, match="does not wait at its gate"):
        part_two(tmp_path, "3.6")


def test_part_two_has_the_choices_of_part_one_and_those_that_are_said_beside_them(tmp_path: Path) -> None:
    first = a_run(tmp_path)
    more = PlanFlags(accept=("unsupported-external-models=CHG-1",), api_translation=("false",))

    second = part_two(tmp_path, "3.6", flags=more)

    assert first.options["accepted"] == {}
    assert second.options["accepted"] == {"unsupported-external-models": "CHG-1"}
    assert second.options["apiTranslation"] == {"": False}
    assert part_two(tmp_path, "3.6").options["accepted"] == {}


def test_part_two_has_no_runbook_of_its_own(tmp_path: Path) -> None:
    a_run(tmp_path)

    with pytest.raises(BadInputError, match="runbook of part one"):
        part_two(tmp_path, "3.6", flags=PlanFlags(runbook="ipp-to-praxis"))


@pytest.mark.parametrize(
    ("code", "risks", "told"),
    [
        (0, (), "resume RUN --plan PLAN-ID --window"),
        (12, (("operator-upgrade", False), ("unsupported-external-models", True)), "plan --run RUN --accept unsupp"),
        (11, (), "for what blocks"),
    ],
)
def test_a_part_two_that_is_not_as_foretold_has_one_way_on(
    tmp_path: Path, code: int, risks: tuple[tuple[str, bool], ...], told: str
) -> None:
    asked = tuple(Risk(id=name, statement="s", at_stake=at_stake) for name, at_stake in risks)
    plan = msgspec.structs.replace(a_run(tmp_path), id="PLAN-ID", exit_code=code, risks=asked)

    assert told in way_on(plan, "RUN")
    assert "maas-migrate rollback RUN" in way_on(plan, "RUN") or not code
