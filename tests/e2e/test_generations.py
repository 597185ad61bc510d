"""Every build of 3.6 that is known, with every example: what blocks, what goes, what comes back."""

import json
from typing import Any

import pytest

from migrate.maas import annotations as key
from migrate.records.objects import Json, get_in
from tests.e2e import cluster
from tests.e2e.rig import Rig, a_rig
from tests.e2e.stage import GO, Stage
from tests.torture.world import settle

pytestmark = pytest.mark.slow

FORCE = ("force-custom-plugins-configmap=re-applied by CHG-1042",)
LOSS = ("unsupported-external-models=CHG-1043",)
OLDEST = "handshake=D,gate=off,compatibility=off,identity=V4"
BUILDS = ("", "gate=off", "compatibility=off", "identity=V4", "identity=none", "force-covers=everything")
"""On a cluster of 3.6 with tenants on IPP; a tenant without a type moves by itself where the handshake is D."""
BUILDS_AFTER_35 = ("", "handshake=D", OLDEST)
CONFIG = "/apis/maas.opendatahub.io/v1alpha1/namespaces/{}/maastenantconfigs/default-tenant"
MODELS = "/apis/inference.opendatahub.io/v1alpha1/namespaces/llm/externalmodels"
PLUGINS = "/api/v1/namespaces/{}/configmaps/payload-processing-plugins{}"

Choice = dict[str, tuple[str, ...]]
NOTHING: Choice = {}


def expected(example: str, build: str) -> tuple[int, Choice]:
    """Return how a run without any flag ends, and the flags that it takes."""
    unchecked = "compatibility=off" in build
    if example == "customised":
        return 12, {"accept": FORCE}
    if example == "response-translation" and unchecked:
        return 12, {"accept": LOSS}
    if example == "azure-model":
        return (12, {"accept": LOSS}) if unchecked else (11, {"accept": LOSS, "translation": ("false",)})
    return 0, NOTHING


def plugins(rig: Rig, namespace: str = "openshift-ingress", tenant: str = "") -> Json:
    return dict(rig.get(PLUGINS.format(namespace, f"-{tenant}" if tenant else "")).get("data", {}))


def marks(rig: Rig, namespace: str = "models-as-a-service") -> Json:
    return dict(get_in(rig.get(CONFIG.format(namespace)), "metadata", "annotations", default={}))


def status_of(rig: Rig, namespace: str = "models-as-a-service") -> Any:
    return marks(rig, namespace).get(key.PAYLOAD_PROCESSING_STATUS)


@pytest.mark.parametrize("example", ["default", "response-translation", "customised", "azure-model"])
@pytest.mark.parametrize("build", BUILDS, ids=lambda build: build or "product-page")
def test_on_3_6_what_is_not_accepted_changes_nothing_and_what_is_goes_there_and_back(build: str, example: str) -> None:
    code, flags = expected(example, build)
    with a_rig(example, build) as rig:
        before = plugins(rig)
        if code:
            assert rig.go().code == code
            assert (plugins(rig), status_of(rig)) == (before, None)
            rig.say(**flags)

        done = rig.go()

        assert (done.code, status_of(rig), set(plugins(rig))) == (0, "steady", {"pre-extproc.yaml", "extproc.yaml"})
        assert rig.verified(rig.runs()[-1].id).passed
        assert rig.back().code == 0
        assert (plugins(rig), status_of(rig)) == (before, None)


@pytest.mark.parametrize("build", BUILDS_AFTER_35, ids=lambda build: build or "product-page")
@pytest.mark.parametrize("example", ["default", "customised"])
def test_from_3_5_no_tenant_moves_before_it_is_told_to_whatever_the_build_takes_for_default(
    build: str, example: str
) -> None:
    flags = expected(example, build)[1]
    with a_rig(example, build, "3.5") as rig:
        before = plugins(rig)
        rig.say(**flags)
        pinned: list[Any] = []
        upgrade = rig.upgrade

        def look_then(upgraded: Any = upgrade) -> None:
            upgraded()
            pinned.append((status_of(rig), marks(rig)[key.PAYLOAD_PROCESSING_TYPE], plugins(rig) == before))

        rig.upgrade = look_then  # type: ignore[method-assign]

        done = rig.go()

        assert pinned == [(None, "ipp", True)]
        assert (done.code, status_of(rig)) == (0, "steady")
        assert rig.back().code == 0
        assert plugins(rig) == before


def test_a_build_that_stamps_nothing_is_told_at_the_gate_and_goes_on_only_when_its_plan_is_taken() -> None:
    with a_rig("default", "identity=none", "3.5") as rig:
        refused = rig.go()

        assert refused.code == 13
        assert "identity was to be legacy, is to be short" in refused.message
        assert status_of(rig) is None


def test_an_acceptance_that_the_build_newly_asks_for_is_given_at_the_gate_and_part_two_goes_on() -> None:
    """On 3.5 nobody knows that the build will not stop for models that it cannot serve."""
    with a_rig("response-translation", "compatibility=off", "3.5") as rig:
        before = plugins(rig)
        refused = rig.go()
        run = rig.runs()[-1].id
        assert (refused.code, status_of(rig)) == (13, None)
        assert f"plan --run {run} --accept unsupported-external-models=REASON" in refused.resolution
        assert f"resume {run} --plan PLAN" in refused.resolution

        unaccepted = rig.part_two()
        assert (unaccepted.exit_code, rig.go_on(unaccepted.id).code) == (12, 12)
        plan = rig.part_two(*LOSS)
        done = rig.go_on(plan.id)

        assert (plan.part, plan.run, plan.exit_code) == (2, run, 0)
        assert [(risk.id, risk.reason) for risk in plan.risks if risk.accepted] == [
            ("unsupported-external-models", "CHG-1043")
        ]
        assert (done.code, rig.runs()[-1].id, status_of(rig)) == (0, run, "steady")
        assert rig.verified(run).passed
        assert rig.back().code == 0
        assert plugins(rig) == before


# The older hand-overs: what shows them is refused, what does not ends bounded, named, and with a way back.


def test_a_pin_that_the_build_takes_away_again_is_told_at_the_gate() -> None:
    """Handshake A removes a type that stands on the MaasTenantConfig alone."""
    with a_rig("default", "handshake=A", "3.5") as rig:
        refused = rig.go()

        assert refused.code == 13
        assert "the pin to ipp is gone" in refused.message
        assert status_of(rig) is None


def test_a_build_that_takes_the_flip_away_is_given_up_and_named_and_ipp_has_served_throughout() -> None:
    with a_rig("default", "handshake=A") as rig:
        before = plugins(rig)

        ended = rig.go()

        assert ended.code == 21
        assert "reverted by manager" in ended.message
        assert (plugins(rig), status_of(rig)) == (before, None)


@pytest.mark.parametrize("version", ["3.5", "3.6"])
def test_a_hand_over_by_marker_ends_in_time_and_is_refused_from_then_on_and_goes_back(version: str) -> None:
    with a_rig("default", "handshake=B", version) as rig:
        before = plugins(rig)

        ended = rig.go()

        assert ended.code == 22
        assert f"praxis:{DEFAULT} waited" in ended.message
        plan = rig.planned()
        assert plan.exit_code == 11
        assert "HandshakeNotSupported" in {found.code for found in plan.findings if found.impact == "blocking"}
        assert rig.back().code == 0
        assert (plugins(rig), marks(rig)[key.PAYLOAD_PROCESSING_TYPE]) == (before, "ipp")


def must_be_refused(stage: Stage, told: str) -> None:
    """Hold check, plan and apply to one refusal that writes nothing."""
    before = cluster.annotations(stage)
    for verb in (("check",), ("plan",), ("apply", *GO)):
        document = stage.cli(*verb, wanted=11).document
        found = {finding["code"]: finding["message"] for finding in document.get("findings", ())}
        assert verb[0] == "apply" or told in found["HandshakeNotSupported"]
    assert stage.api.writes_of_the_tool() == []
    assert cluster.annotations(stage) == before


@pytest.mark.story(build="handshake=A")
def test_a_build_that_mirrors_the_type_of_the_aitenant_is_refused(stage: Stage) -> None:
    stage.kubectl("annotate", "aitenants.maas.opendatahub.io", DEFAULT, "-n", "ai-tenants", f"{cluster.TYPE}=ipp")
    stage.until("it is mirrored", lambda: cluster.annotations(stage).get(cluster.TYPE) == "ipp")

    must_be_refused(stage, "handshake generation A:")


@pytest.mark.story(build="handshake=B")
def test_a_build_that_hands_over_by_a_marker_is_refused(stage: Stage) -> None:
    """Praxis has the tenant, by somebody's hand, and there is no status annotation."""
    cluster.annotate(stage, f"{cluster.TYPE}=praxis")
    deployment = "/apis/apps/v1/namespaces/openshift-ingress/deployments/payload-processing"
    stage.until("Praxis runs", lambda: "ai-gateway-controller" in json.dumps(stage.api.find(deployment)))

    must_be_refused(stage, "handshake generation A or B:")


def test_an_overlay_that_hangs_on_one_reference_ends_in_time_names_it_and_goes_back() -> None:
    with a_rig("default", "overlay-hang") as rig:
        reference = {
            "ref": {"name": "openai"},
            "targetModel": "gpt-4o",
            "apiFormat": "openai-chat",
            "path": "/v1/responses",  # Nothing that Praxis is qualified for.
        }
        odd = {
            "apiVersion": "inference.opendatahub.io/v1alpha1",
            "kind": "ExternalModel",
            "metadata": {"name": "odd", "namespace": "llm"},
            "spec": {"modelName": "odd", "externalProviderRefs": [reference]},
        }
        rig.as_somebody("POST", MODELS, odd)
        settle(rig.time, rig.players)
        rig.say(accept=LOSS, translation=("false",))
        before = plugins(rig)

        ended = rig.go()

        assert (ended.code, status_of(rig)) == (22, "steady")
        assert f"praxis:{DEFAULT} waited" in ended.message
        assert "it waits for the routing overlay" in ended.message
        assert rig.back().code == 0
        assert (plugins(rig), status_of(rig)) == (before, None)


def test_without_a_gate_a_customised_config_map_is_lost_only_when_nobody_pinned_the_tenant() -> None:
    """The danger is real: this is what such a build does to a tenant that says nothing, without the program."""
    with a_rig("customised", OLDEST, "3.5") as rig:
        before = plugins(rig)

        rig.upgrade()

        assert plugins(rig) != before


# Several tenants.

GATEWAYS = "openshift-ingress"
DEFAULT, QUALITY, REDTEAM, RESEARCH = "models-as-a-service", "quality-assurance-europe", "redteam", "research"


def statuses(rig: Rig) -> dict[str, Any]:
    spaces = {DEFAULT: DEFAULT, **{name: f"ai-tenant-{name}" for name in (QUALITY, REDTEAM, RESEARCH)}}
    return {name: status_of(rig, space) for name, space in spaces.items()}


def test_tenants_go_one_after_the_other_each_with_its_backup_and_a_left_out_one_is_not_touched() -> None:
    with a_rig("multi-tenant") as rig:
        assert rig.go().code == 12
        assert set(statuses(rig).values()) == {None}
        rig.say(DEFAULT, REDTEAM)

        done = rig.go()

        assert done.code == 0
        assert statuses(rig) == {DEFAULT: "steady", QUALITY: None, REDTEAM: "steady", RESEARCH: None}
        state = rig.runs()[-1]
        steps = [step.id for step in state.steps if step.id.startswith(("flip:", "verify:"))]
        assert steps == [f"flip:{DEFAULT}", f"verify:{DEFAULT}", f"flip:{REDTEAM}", f"verify:{REDTEAM}"]
        saved = {entry.object for entry in state.backups}
        mine = f"ConfigMap {GATEWAYS}/payload-processing-plugins"
        assert {mine, f"{mine}-{REDTEAM}"} <= saved
        assert not [name for name in saved if RESEARCH in name]


def test_a_tenant_on_a_gateway_in_another_namespace_goes_there_and_back() -> None:
    with a_rig("multi-tenant") as rig:
        before = plugins(rig, "team-ingress", RESEARCH)
        assert before
        rig.say(RESEARCH, accept=FORCE)

        assert rig.go().code == 0

        assert statuses(rig) == {DEFAULT: None, QUALITY: None, REDTEAM: None, RESEARCH: "steady"}
        assert set(plugins(rig, "team-ingress", RESEARCH)) == {"pre-extproc.yaml", "extproc.yaml"}
        assert rig.back().code == 0
        assert plugins(rig, "team-ingress", RESEARCH) == before


def test_one_tenant_that_fails_in_the_run_is_withdrawn_and_the_next_one_is_not_started() -> None:
    with a_rig("multi-tenant") as rig:
        rig.say(DEFAULT, QUALITY, REDTEAM)
        custom = {"custom-ipp-config.yaml": "apiVersion: llm-d.ai/v1alpha1\nkind: PayloadProcessorConfig\n"}

        def spoil(method: str, path: str, body: Json) -> None:
            flips = get_in(body, "metadata", "annotations", key.PAYLOAD_PROCESSING_TYPE) == "praxis"
            if method == "PATCH" and f"ai-tenant-{QUALITY}/" in path and flips:
                rig.as_somebody("PATCH", PLUGINS.format("openshift-ingress", f"-{QUALITY}"), {"data": custom})

        rig.before_write.append(spoil)

        ended = rig.go()

        assert ended.code == 21
        assert statuses(rig) == {DEFAULT: "steady", QUALITY: None, REDTEAM: None, RESEARCH: None}
        assert marks(rig, f"ai-tenant-{QUALITY}")[key.PAYLOAD_PROCESSING_TYPE] == "ipp"
        assert key.PAYLOAD_PROCESSING_TYPE not in marks(rig, f"ai-tenant-{REDTEAM}")


def test_ch_01_a_tenant_without_its_name_stops_the_plan_and_tenant_leaves_it_out() -> None:
    with a_rig("multi-tenant") as rig:
        space = "ai-tenant-nameless"
        nameless = {
            "apiVersion": "maas.opendatahub.io/v1alpha1",
            "kind": "MaasTenantConfig",
            "metadata": {
                "name": "default-tenant",
                "namespace": space,
                "labels": {"maas.opendatahub.io/managed-by-aitenant": "true"},
            },
            "spec": {},
        }
        rig.as_somebody("POST", "/api/v1/namespaces", {"metadata": {"name": space}})
        rig.as_somebody("POST", CONFIG.format(space).rpartition("/")[0], nameless)

        plan = rig.planned()
        (entry,) = [tenant for tenant in plan.tenants if tenant.namespace == space]

        assert (plan.exit_code, entry.decision, entry.config_map) == (11, "blocked", None)
        assert "payload-processing-plugins" not in json.dumps(
            [finding.message for finding in plan.findings if finding.tenant == entry.name]
        )
        rig.say(REDTEAM)
        assert rig.go().code == 0
        assert statuses(rig)[REDTEAM] == "steady"
