"""The shipped runbooks are ones that may be run; what breaks a rule of order is refused with its field."""

import copy
from collections.abc import Callable
from importlib import resources as files
from typing import Any

import msgspec
import pytest

from migrate.changes.plan_runbook import MAKERS, RunbookError, runbook_digest, runbook_schema, validate
from tests.unit.changes.plan.stories import MOVE, UPGRADE, document, runbook

Break = Callable[[Any], Any]


@pytest.mark.parametrize("name", [UPGRADE, MOVE])
def test_a_shipped_runbook_validates_and_bears_its_name(name: str) -> None:
    made = runbook(name)

    assert made.name == name
    assert {step.uses for phase in made.phases for step in phase.steps} <= set(MAKERS)


@pytest.mark.parametrize("name", [UPGRADE, MOVE])
def test_the_runbooks_of_the_package_are_those_of_the_checkout(name: str) -> None:
    text = (files.files("migrate") / "runbooks" / f"{name}.yaml").read_text(encoding="utf-8")

    assert f"name: {name}\n" in text


def test_the_digest_is_of_the_content_not_of_the_layout() -> None:
    one = document(MOVE)
    other = copy.deepcopy(dict(reversed(list(one.items()))))

    assert runbook_digest(validate(one)) == runbook_digest(validate(other))
    one["phases"][1]["steps"][1]["timeoutS"] += 1
    assert runbook_digest(validate(one)) != runbook_digest(validate(other))


def test_the_schema_names_every_maker() -> None:
    step = runbook_schema()["$defs"]["RunbookStep"]["properties"]

    assert step["uses"]["enum"] == sorted(MAKERS)


def _step(document_: Any, maker: str, /, **changes: Any) -> None:
    for phase in document_["phases"]:
        for entry in phase["steps"]:
            if entry["uses"] == maker:
                entry.update(changes)
                return


def _without(document_: Any, uses: str) -> None:
    for phase in document_["phases"]:
        phase["steps"] = [entry for entry in phase["steps"] if entry["uses"] != uses]


def _swap_phases(document_: Any) -> None:
    document_["phases"][0], document_["phases"][1] = document_["phases"][1], document_["phases"][0]


def _add_gate(document_: Any) -> None:
    gate = next(entry for phase in document_["phases"] for entry in phase["steps"] if entry["uses"] == "gate")
    document_["phases"][2]["steps"].append({**gate, "id": "gate-2"})


BROKEN = [
    pytest.param(MOVE, lambda d: _step(d, "flip", uses="shell"), "uses", "'shell' is none of", id="unknown-maker"),
    pytest.param(MOVE, lambda d: _without(d, "back-up"), "uses", "needs 'back-up'", id="no-backup"),
    pytest.param(MOVE, lambda d: _without(d, "check-access"), "uses", "needs 'check-access'", id="no-access-check"),
    pytest.param(MOVE, lambda d: _without(d, "dry-run"), "uses", "needs 'dry-run'", id="no-dry-run"),
    pytest.param(MOVE, lambda d: _without(d, "review-bindings"), "", "'review-bindings'", id="no-review"),
    pytest.param(MOVE, lambda d: _without(d, "wait-praxis"), "uses", "needs 'wait-praxis'", id="no-wait"),
    pytest.param(MOVE, lambda d: _without(d, "remove-force"), "", "after 'flip' stand", id="force-stays"),
    pytest.param(MOVE, lambda d: _without(d, "flip"), "uses", "'wait-praxis' needs 'flip'", id="no-flip"),
    pytest.param(MOVE, _swap_phases, "uses", "needs 'check-access'", id="flip-first"),
    pytest.param(MOVE, lambda d: _step(d, "flip", window="outside"), "window", "must be 'inside'", id="outside"),
    pytest.param(MOVE, lambda d: _step(d, "flip", timeoutS=0), "timeoutS", "less than the estimate", id="no-time"),
    pytest.param(MOVE, lambda d: _step(d, "verify", estimateS=0), "estimateS", "not a duration", id="no-estimate"),
    pytest.param(MOVE, lambda d: _step(d, "flip", undoEstimateS=-1), "undoEstimateS", "not a duration", id="negative"),
    pytest.param(MOVE, lambda d: _step(d, "flip", attempts=0), "attempts", "between 1 and", id="no-attempt"),
    pytest.param(MOVE, lambda d: _step(d, "flip", acknowledges=["all"]), "acknowledges[0]", "'all'", id="unknown-risk"),
    pytest.param(MOVE, lambda d: _step(d, "flip", id="Flip 1"), "id", "not a name", id="bad-id"),
    pytest.param(MOVE, lambda d: _step(d, "flip", id="verify"), "id", "already the id of", id="same-id"),
    pytest.param(MOVE, lambda d: _step(d, "flip", shell="rm"), "", "unknown field `shell`", id="unknown-field"),
    pytest.param(MOVE, lambda d: _step(d, "flip", timeoutS="1h"), "timeoutS", "Expected `int`", id="not-a-number"),
    pytest.param(MOVE, lambda d: d.update(platforms=["3.5"]), "phases", "needs a gate", id="3.5-without-gate"),
    pytest.param(MOVE, lambda d: d.update(phases=[]), "phases", "no step", id="empty"),
    pytest.param(MOVE, lambda d: d["phases"][2]["steps"].clear(), "phases", "last step", id="no-final-verify"),
    pytest.param(MOVE, lambda d: d["phases"][1].update(each="cluster"), "uses", "each: tenant", id="wrong-scope"),
    pytest.param(UPGRADE, _add_gate, "uses", "there is a gate already", id="two-gates"),
    pytest.param(UPGRADE, lambda d: _without(d, "gate"), "phases", "come together", id="part-2-without-gate"),
    pytest.param(UPGRADE, lambda d: _without(d, "pin-engine"), "phases", "needs 'pin-engine'", id="no-pin"),
    pytest.param(UPGRADE, lambda d: d["phases"][4].update(part=1), "phases[4].part", "cannot follow", id="part-order"),
    pytest.param(UPGRADE, lambda d: _step(d, "pin-engine", uses="flip"), "phases", "", id="flip-before-the-gate"),
]


@pytest.mark.parametrize(("name", "change", "path", "problem"), BROKEN)
def test_a_runbook_that_breaks_a_rule_is_refused_with_its_field(
    name: str, change: Break, path: str, problem: str
) -> None:
    broken = copy.deepcopy(document(name))
    change(broken)

    with pytest.raises(RunbookError) as caught:
        validate(broken)

    assert path in caught.value.path
    assert problem in caught.value.problem


def test_an_error_names_the_line_of_its_field_or_of_the_one_around_it() -> None:
    broken = document(MOVE)
    _step(broken, "flip", uses="shell")

    with pytest.raises(RunbookError, match=r"^line 71, phases\[1\]\.steps\[1\]\.uses: 'shell'") as caught:
        validate(broken, {"phases": 9, "phases[1].steps[1]": 71})

    assert caught.value.line == 71


@pytest.mark.parametrize("value", [None, [], "text", 5, {"format": "maas-migrate/plan"}])
def test_what_is_no_runbook_at_all_is_refused(value: Any) -> None:
    with pytest.raises(RunbookError):
        validate(value)


def test_a_runbook_survives_the_way_to_json_and_back() -> None:
    made = runbook(UPGRADE)

    assert validate(msgspec.to_builtins(made)) == made
