"""
Laws of the way back, whatever state the run and the cluster are in.

It writes nothing but the closed table's fields and never a marker; what is put back is put back after IPP has the
tenant; with nobody there to release a tenant it has no step at all; what is back already has none either.
"""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.maas import annotations as key
from migrate.maas import naming, resources
from migrate.records.assessment import ApiTranslation
from migrate.records.plan import Plan, Restore, SetFields, Wait
from tests import builders as b
from tests.unit.changes.plan import stories as s
from tests.unit.changes.rollback.runs import Journal

T = s.DEFAULT
CASES = settings(max_examples=50, deadline=None)
STATES = st.fixed_dictionaries(
    {
        "status": st.sampled_from([None, "cleanup-complete", "steady", "ai-gateway-controller-active"]),
        "type": st.sampled_from([None, "ipp", "praxis"]),
        "force": st.sampled_from([None, "true"]),
        "translation": st.sampled_from([None, True, False]),
        "config_map": st.sampled_from(["saved", "default", "praxis", "absent"]),
        "peer": st.booleans(),
    }
)
RUNS = st.fixed_dictionaries(
    {"forced": st.booleans(), "translated": st.booleans(), "flipped": st.booleans(), "arrived": st.booleans()}
)
MAPS: dict[str, list[Any]] = {
    "saved": [b.a_plugins_config_map(processing=b.CUSTOM_TEXT)],
    "default": [b.a_plugins_config_map()],
    "praxis": [b.a_praxis_config_map()],
    "absent": [],
}


def now(state: dict[str, Any]) -> list[Any]:
    noted = {
        key.PAYLOAD_PROCESSING_STATUS: state["status"],
        key.PAYLOAD_PROCESSING_TYPE: state["type"],
        key.FORCE_PAYLOAD_PROCESSING_MIGRATION: state["force"],
    }
    spec = {"apiTranslation": {"enabled": state["translation"]}} if state["translation"] is not None else {}
    config = b.changed(b.a_tenant_config(), {"metadata": {"annotations": noted}, "spec": spec})
    left_out = {naming.PLUGINS_CONFIG_MAP} | (set() if state["peer"] else {resources.AI_GATEWAY_CONTROLLER_DEPLOYMENT})
    things = [thing for thing in s.cluster("3.6") if thing["metadata"]["name"] not in left_out]
    return [*things, config, *MAPS[state["config_map"]]]


def way_back(run: dict[str, Any], state: dict[str, Any]) -> Plan:
    asked: dict[str, Any] = {"force": run["forced"]}
    if run["translated"]:
        asked["api_translation"] = ApiTranslation(before=None, after=False, written_by="us")
    before = [*s.cluster("3.6"), *MAPS["saved"]]
    plan = s.plan(before, platform="3.6", tenants={T: asked})
    journal = Journal().begin(plan).back_up(before)
    journal.write(*([f"translation:{T}"] if run["translated"] else []))
    journal.write(*([f"flip:{T}"] if run["flipped"] else []), applied=run["arrived"])
    return journal.back(now(state))


@given(RUNS, STATES)
@CASES
def test_only_fields_of_the_closed_table_are_written_and_never_a_marker(run: Any, state: Any) -> None:
    for step in way_back(run, state).steps:
        if isinstance(step, SetFields):
            noted = step.after.get("metadata", {}).get("annotations", {})
            assert noted.get(key.PAYLOAD_PROCESSING_TYPE, "ipp") == "ipp"
            assert noted.get(key.FORCE_PAYLOAD_PROCESSING_MIGRATION) is None
            assert set(noted) <= {key.PAYLOAD_PROCESSING_TYPE, key.FORCE_PAYLOAD_PROCESSING_MIGRATION}
            assert step.after.get("spec", {}) in ({}, {"apiTranslation": None})


@given(RUNS, STATES)
@CASES
def test_what_is_put_back_is_put_back_after_ipp_has_the_tenant(run: Any, state: Any) -> None:
    steps = way_back(run, state).steps
    restores = [place for place, step in enumerate(steps) if isinstance(step, Restore)]
    waits = [place for place, step in enumerate(steps) if isinstance(step, Wait) and step.id == f"ipp:{T}"]

    assert bool(restores) == bool(waits)
    assert not restores or waits[0] < restores[0]


@given(RUNS, STATES)
@CASES
def test_it_refuses_exactly_where_a_flipped_tenant_has_nobody_to_release_it(run: Any, state: Any) -> None:
    plan = way_back(run, state)
    held = state["status"] not in {None, "cleanup-complete"}

    assert plan.exit_code == (11 if run["flipped"] and held and not state["peer"] else 0)
    assert not (plan.exit_code and plan.steps)


@given(RUNS, STATES)
@CASES
def test_a_run_that_never_flipped_leaves_the_engine_alone(run: Any, state: Any) -> None:
    steps = way_back({**run, "flipped": False}, state).steps

    assert not any(isinstance(step, (Wait, Restore)) for step in steps)
    assert bool(steps) == (run["translated"] and state["translation"] is False)


@given(RUNS)
@CASES
def test_what_is_back_already_needs_no_step(run: Any) -> None:
    back = {"status": None, "type": "ipp", "force": None, "translation": None, "config_map": "saved", "peer": True}

    assert way_back(run, back).steps == ()
