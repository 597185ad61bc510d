"""Contract 4.8, "the upgrade": an approved InstallPlan swaps CRDs, controllers and versions."""

import pytest

from migrate.maas import resources
from migrate.maas.versions import crd_has_field
from migrate.records.objects import KubeObject
from migrate.sandbox.controllers.approval import Approver
from migrate.sandbox.controllers.rendering import POST_CONFIG, POST_KEY
from migrate.sandbox.crds import crds_of
from migrate.sandbox.examples import example
from tests.unit.sandbox.controllers36.stage import STATUS, TYPE, Stage

APPS = resources.APPLICATIONS_NAMESPACE
PLAN = (resources.INSTALL_PLAN, resources.OPERATOR_NAMESPACE)


def on_35(name: str = "default") -> Stage:
    stage = Stage([*crds_of("3.5"), *example(name, "3.5")], "platform", "3.5", "olm")
    assert stage.play(300)
    return stage


def the_plan(stage: Stage) -> KubeObject:
    (found,) = stage.all(resources.INSTALL_PLAN)
    return found


def approve(stage: Stage) -> None:
    stage.patch(*PLAN, the_plan(stage).name, {"spec": {"approved": True}})


def complete(stage: Stage) -> bool:
    return bool(the_plan(stage).get("status", "phase") == "Complete")


def upgraded(name: str = "default") -> Stage:
    stage = on_35(name)
    approve(stage)
    assert stage.play(300, lambda: complete(stage))
    assert stage.play(300)
    return stage


def image_of(stage: Stage, namespace: str, name: str) -> str:
    deployment = stage.must(resources.DEPLOYMENT, namespace, name)
    return str(deployment.get("spec", "template", "spec", "containers")[0]["image"])


def test_a_cluster_on_35_is_offered_the_upgrade_and_nothing_happens_by_itself() -> None:
    stage = on_35()

    plan = the_plan(stage)

    assert plan.get("spec", "approved") is False
    assert plan.get("spec", "clusterServiceVersionNames") == ["rhods-operator.3.6.0"]
    assert stage.find(resources.DEPLOYMENT, APPS, "ai-gateway-controller") is None
    assert stage.ready == ("True", "Reconciled")


def test_an_approved_plan_brings_every_signal_of_36() -> None:
    stage = upgraded()

    dsc = stage.must(resources.DATA_SCIENCE_CLUSTER, "", "default-dsc")
    assert dsc.get("status", "release") == {"name": "OpenShift AI Self-Managed", "version": "3.6.0"}
    assert stage.must(resources.DSC_INITIALIZATION, "", "default-dsci").get("status", "release", "version") == "3.6.0"
    ours = [csv for csv in stage.all(resources.CLUSTER_SERVICE_VERSION) if csv.name.startswith("rhods")]
    assert [(csv.name, csv.get("status", "phase")) for csv in ours] == [("rhods-operator.3.6.0", "Succeeded")]
    assert stage.find(resources.DEPLOYMENT, APPS, "ai-gateway-controller") is not None
    crds = {crd.name: crd for crd in stage.all(resources.CRD)}
    assert crd_has_field(crds["configs.maas.opendatahub.io"], "spec", "usageMetricsDashboard")
    assert crd_has_field(crds["maassubscriptions.maas.opendatahub.io"], "status", "rateLimitIdentity")
    assert crd_has_field(crds["maastenantconfigs.maas.opendatahub.io"], "spec", "apiTranslation")
    assert image_of(stage, APPS, "maas-controller").endswith(":v3.6")
    assert image_of(stage, resources.INFRA_NAMESPACE, "maas-api").endswith(":v3.6")
    assert image_of(stage, resources.GATEWAY_NAMESPACE, "payload-processing").endswith(":v3.6")


def test_versions_are_told_last_and_the_old_player_is_gone_before_the_new_one_comes() -> None:
    stage = on_35()
    approve(stage)
    orders: list[tuple[bool, bool, bool]] = []

    def watched() -> bool:
        names = {player.name for player in stage.context.troupe.players}
        told = stage.must(resources.DATA_SCIENCE_CLUSTER, "", "default-dsc").get("status", "release", "version")
        orders.append(("maas-tenants" in names, "maas-tenants-3.6" in names, told == "3.6.0"))
        return complete(stage)

    assert stage.play(300, watched)

    assert list(dict.fromkeys(orders)) == [
        (True, False, False),
        (False, False, False),
        (False, True, False),
        (False, True, True),
    ]


def test_existing_subscriptions_become_legacy_and_later_ones_short() -> None:
    stage = upgraded()
    existing = {thing.get("status", "rateLimitIdentity") for thing in stage.all(resources.MAAS_SUBSCRIPTION)}
    assert existing == {"legacy"}
    old = stage.all(resources.MAAS_SUBSCRIPTION)[0]

    made = stage.create(
        resources.MAAS_SUBSCRIPTION,
        {"metadata": {"name": "later", "namespace": old.namespace}, "spec": old.get("spec")},
    )
    stage.play(100)

    assert (
        stage.must(resources.MAAS_SUBSCRIPTION, made.namespace, "later").get("status", "rateLimitIdentity") == "short"
    )


def test_no_limit_of_the_old_kind_is_left() -> None:
    stage = upgraded("azure-model")

    policies = [p for p in stage.all(resources.TOKEN_RATE_LIMIT_POLICY) if p.name.startswith("maas-trlp-")]

    assert policies
    for policy in policies:
        limits = policy.get("spec", "limits")
        assert all(name.startswith("tokens-") and len(limit["counters"]) == 2 for name, limit in limits.items())


@pytest.mark.parametrize(("managed", "survives"), [("false", True), (None, False)])
def test_the_new_manifest_leaves_an_opted_out_config_map_alone_and_resets_another(
    managed: str | None, survives: bool
) -> None:
    stage = on_35("customised")
    before = stage.plugins
    assert before is not None
    body = {"metadata": {"annotations": {"opendatahub.io/managed": managed}}}
    stage.patch(resources.CONFIG_MAP, before.namespace, before.name, body)

    approve(stage)
    assert stage.play(300, lambda: complete(stage))

    assert stage.plugins is not None
    assert stage.plugins.uid == before.uid
    assert (stage.plugins.get("data") == before.get("data")) is survives
    assert (stage.plugins.get("data", POST_KEY) == POST_CONFIG) is not survives


def test_a_pinned_tenant_stays_on_ipp_through_the_upgrade_and_flips_when_asked() -> None:
    stage = on_35()
    stage.mark(TYPE, "ipp")
    approve(stage)
    assert stage.play(300, lambda: complete(stage))
    stage.play(300)
    assert stage.runs_on() == "ipp"
    assert STATUS not in stage.config.annotations

    stage.flip()

    assert stage.play(300, lambda: stage.runs_on() == "praxis")


def test_a_tenant_that_says_praxis_on_35_migrates_by_itself_at_the_upgrade() -> None:
    stage = on_35()
    stage.flip()
    stage.play(100)
    assert stage.runs_on() == "ipp"

    approve(stage)

    assert stage.play(400, lambda: stage.runs_on() == "praxis")


def test_the_plan_may_be_approved_after_a_while() -> None:
    stage = on_35()
    stage.context.troupe.add(Approver(stage.context, 5.0))

    assert stage.play(300, lambda: complete(stage))


def test_once_complete_nothing_more_is_done() -> None:
    stage = upgraded()
    before = stage.context.client.counter.writes

    for _ in range(5):
        stage.clock.seconds += 100
        stage.context.troupe.step()

    assert stage.context.client.counter.writes == before
