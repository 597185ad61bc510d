"""The report says what was lost, what is left, what cannot be given back, and when the window was."""

from pathlib import Path
from typing import Any

import msgspec

from migrate.commands.reporting import report_of
from migrate.records.plan import Plan
from migrate.records.report import Report
from migrate.records.verification import Verification
from migrate.render.report_markdown import report_markdown
from migrate.store.run_directory import StateDirectory
from tests import builders as b
from tests.fakes import TickingClock
from tests.unit.changes.plan import stories as s
from tests.unit.changes.rollback.runs import Journal

FLIP = f"flip:{s.DEFAULT}"


def a_plan(**options: Any) -> Plan:
    model = b.an_external_model("gpt", "openai")
    facts = {"force": True, "lost": ("metering is gone",), "external_models": (s.binding("openai", "gpt"),)}
    things = [*s.cluster("3.6"), b.a_plugins_config_map(processing=b.CUSTOM_TEXT), model]
    return s.plan(things, platform="3.6", tenants={s.DEFAULT: facts}, **options)


def report(place: Path, journal: Journal, verification: Verification | None = None) -> Report:
    directory = StateDirectory(place).create_run("20261003t220000z-abcdef")
    directory.save("plan.json", journal.plans[0])
    if verification:
        directory.save("verification.json", verification)
    with directory.lock():
        log = directory.journal(TickingClock())
        for event in journal.events:
            log.append(event.event, step=event.step, data=event.data)
    return report_of(directory)


def test_what_a_forced_move_lost_is_work_left_only_once_it_was_sent(tmp_path: Path) -> None:
    before = report(tmp_path / "a", Journal().begin(a_plan()))
    after = report(tmp_path / "b", Journal().begin(a_plan()).write(FLIP))

    lost = f"{s.DEFAULT}: do again in the Praxis shape: metering is gone"
    assert lost not in before.work_left
    assert lost in after.work_left


def test_each_binding_that_was_asked_about_is_named_for_review(tmp_path: Path) -> None:
    left = report(tmp_path, Journal().begin(a_plan())).work_left

    assert any("Review and test" in line and "ExternalModel llm/gpt" in line for line in left)


def test_the_way_back_by_hand_is_a_replace_of_the_saved_file(tmp_path: Path) -> None:
    journal = Journal().begin(a_plan())
    journal.back_up([*s.cluster("3.6"), b.a_plugins_config_map(processing=b.CUSTOM_TEXT)])

    (command,) = report(tmp_path / "with space", journal).by_hand

    assert command.startswith("kubectl replace -f '")
    assert command.endswith(".yaml'")


def test_what_the_way_back_left_is_told(tmp_path: Path) -> None:
    journal = Journal().begin(a_plan()).write(FLIP)
    directory_path = tmp_path / "20261003t220000z-abcdef"
    before = report(tmp_path, journal)
    back = journal.back([*s.cluster("3.6"), *s.on_praxis()])
    StateDirectory(tmp_path).open_run(directory_path.name).save("rollback-plan.json", back)

    after = report_of(StateDirectory(tmp_path).open_run(directory_path.name))

    assert any("stays 'ipp'" in line for line in after.remarks)
    assert not any("stays 'ipp'" in line for line in before.remarks)


def test_the_report_shows_losses_risks_and_what_was_written(tmp_path: Path) -> None:
    risk = "MaasTenantConfig a/b: CompatibilityRiskAccepted: no parity"
    verdict = Verification(at="2026-10-03T23:00:00Z", recorded_risks=(risk,), not_proved=("streaming",))
    made = report(tmp_path, Journal().begin(a_plan()).write(FLIP), verdict)

    text = report_markdown(made)

    assert any(line.startswith("Hand the tenant to Praxis: ") for line in made.not_given_back)
    for expected in (risk, "## What the way back cannot give", "Usage history", "patch MaasTenantConfig"):
        assert expected in text
    assert msgspec.json.decode(msgspec.json.encode(made), type=Report) == made
