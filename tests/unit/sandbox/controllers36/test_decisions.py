"""Contract 3.5 and 5.3: which tenants go, which stop, and what is recorded."""

import pytest

from migrate.maas import resources
from migrate.sandbox.controllers.build_36 import Build
from tests.unit.sandbox.controllers36.clusters import a_cluster
from tests.unit.sandbox.controllers36.stage import FORCE, MIGRATION, STATUS, Stage

GO, STOP, RISK = "go", "stop", "risk"
ROWS = {
    ("default", None): (GO, STOP, STOP),
    ("default", True): (GO, GO, STOP),
    ("default", False): (GO, RISK, RISK),
    ("response", None): (GO, GO, STOP),
    ("response", True): (GO, GO, STOP),
    ("response", False): (GO, RISK, RISK),
}
CASES = [
    pytest.param(text, enabled, models, expected, id=f"{text}, {enabled}, {models}")
    for (text, enabled), row in ROWS.items()
    for models, expected in zip(("openai", "anthropic", "azure"), row, strict=True)
]


def flipped(text: str, models: str, *, enabled: bool | None = None, force: bool = False, build: str = "") -> Stage:
    """A tenant on IPP that was flipped and has come as far as it does."""
    stage = Stage(a_cluster(text, models), "platform", "3.6", build=Build.parse(build))
    if enabled is not None:
        body = {"spec": {"apiTranslation": {"enabled": enabled}}}
        stage.patch(resources.MAAS_TENANT_CONFIG, resources.DEFAULT_TENANT_NAMESPACE, "default-tenant", body)
    assert stage.play(300)
    assert (stage.ready, stage.runs_on()) == (("True", "Reconciled"), "ipp")
    if force:
        stage.mark(FORCE, "true")
    stage.flip()
    assert stage.play(300)
    return stage


def outcome(stage: Stage) -> str:
    """What became of a flipped tenant; anything halfway is an error."""
    annotations = stage.config.annotations
    degraded = stage.config.condition("Degraded") or {}
    if annotations.get(MIGRATION) == "blocked":
        assert STATUS not in annotations
        assert stage.ready == ("False", "DeploymentsNotReady")
        assert stage.config.get("status", "phase") == "Pending"
        assert stage.runs_on() == "ipp"
        return STOP
    assert annotations.get(STATUS) == "steady"
    assert stage.ready == ("True", "Reconciled")
    assert stage.runs_on() == "praxis"
    accepted = degraded.get("status") == "True" and degraded.get("reason") == "CompatibilityRiskAccepted"
    assert stage.config.get("status", "phase") == ("Degraded" if accepted else "Active")
    return RISK if accepted else GO


@pytest.mark.parametrize(("text", "enabled", "models", "expected"), CASES)
def test_the_decision_table_row_by_row(text: str, enabled: bool | None, models: str, expected: str) -> None:
    stage = flipped(text, models, enabled=enabled)

    assert outcome(stage) == expected
    written = True if text == "response" and enabled is None else enabled
    assert stage.config.get("spec", "apiTranslation", "enabled") is written


@pytest.mark.parametrize("models", ["none", "switched off"])
def test_without_an_active_external_model_everything_is_compatible(models: str) -> None:
    assert outcome(flipped("default", models)) == GO


@pytest.mark.parametrize("enabled", [None, True, False])
def test_a_customised_config_map_blocks_whatever_the_translation_says(enabled: bool | None) -> None:
    stage = flipped("custom", "openai", enabled=enabled)

    assert outcome(stage) == STOP
    assert "force-payload-processing-migration=true" in (stage.config.condition("Ready") or {})["message"]


def test_an_absent_config_map_does_not_block() -> None:
    stage = Stage(a_cluster("default", "openai"), "platform", "3.6")
    stage.play(300)
    stage.delete(resources.CONFIG_MAP, resources.GATEWAY_NAMESPACE, "payload-processing-plugins")

    stage.flip()
    stage.play(300)

    assert outcome(stage) == GO


def test_force_replaces_a_customised_config_map_and_keeps_a_warning() -> None:
    stage = flipped("custom", "openai", force=True)

    assert outcome(stage) == RISK
    assert stage.plugins is not None
    assert set(stage.plugins.get("data")) == {"pre-extproc.yaml", "extproc.yaml"}
    assert "parity" in (stage.config.condition("Degraded") or {})["message"]


def test_force_covers_the_fingerprint_only() -> None:
    assert outcome(flipped("custom", "azure", force=True)) == STOP
    assert outcome(flipped("custom", "azure", force=True, enabled=False)) == RISK


def test_a_build_exists_in_which_force_covers_everything() -> None:
    assert outcome(flipped("custom", "azure", force=True, build="force-covers=everything")) == RISK


def test_a_build_without_a_gate_takes_a_customised_config_map_unasked() -> None:
    assert outcome(flipped("custom", "openai", build="gate=off")) == GO


def test_a_build_without_the_compatibility_check_takes_unqualified_models_along() -> None:
    assert outcome(flipped("default", "azure", build="compatibility=off")) == GO


def test_an_unqualified_reference_is_skipped_and_one_build_hangs_on_it() -> None:
    skips = flipped("default", "inference azure", enabled=False)
    hangs = flipped("default", "inference azure", enabled=False, build="overlay-hang=on")

    assert outcome(skips) == RISK
    assert (hangs.config.annotations[STATUS], hangs.runs_on()) == ("steady", "")


def test_an_accepted_risk_is_told_until_no_active_model_needs_it() -> None:
    stage = flipped("default", "azure", enabled=False)
    assert outcome(stage) == RISK

    stage.delete(resources.MAAS_EXTERNAL_MODEL, "llm", "gpt-azure")
    stage.play(300)

    assert outcome(stage) == GO


def test_an_untyped_tenant_migrates_by_itself_in_handshake_d_and_stays_in_c() -> None:
    stages = {shake: Stage(a_cluster(), "platform", "3.6", build=Build.parse(f"handshake={shake}")) for shake in "CD"}

    for stage in stages.values():
        stage.play(300)

    assert stages["C"].runs_on() == "ipp"
    assert outcome(stages["D"]) == GO
