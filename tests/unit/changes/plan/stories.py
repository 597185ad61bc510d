"""Small clusters with their assessment written by hand, so that a plan is tested without the assessing."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import yaml

from migrate.changes.plan import make_plan
from migrate.changes.plan_runbook import validate
from migrate.maas import annotations, naming, rate_limits, resources
from migrate.records.assessment import (
    Assessment,
    ConfigMapFacts,
    ModelBinding,
    Options,
    SubscriptionExpectation,
    TenantAssessment,
)
from migrate.records.objects import Json, KubeObject
from migrate.records.plan import Plan, Step
from migrate.records.runbook import Runbook
from migrate.records.snapshot import Snapshot
from tests import builders as b

DEFAULT = resources.DEFAULT_TENANT_NAME
RUNBOOKS = Path(__file__).parents[4] / "runbooks"
UPGRADE, MOVE = "upgrade-3.5-to-3.6", "ipp-to-praxis"


def document(name: str) -> Any:
    return yaml.safe_load((RUNBOOKS / f"{name}.yaml").read_text(encoding="utf-8"))


def runbook(name: str) -> Runbook:
    return validate(document(name))


def model_limits(release: str, *subscriptions: Mapping[str, Any], model: str = "granite") -> dict[str, Json]:
    """Return the limits that the controllers of a release make of subscriptions."""
    members = [
        rate_limits.member_of(thing, reference, rate_limits.identity_of(thing).identity)
        for thing in map(KubeObject, subscriptions)
        for reference in rate_limits.model_refs_of(thing)
        if reference["name"] == model
    ]
    return rate_limits.legacy_limits(members) if release == "3.5" else rate_limits.group_limits(members)


def cluster(release: str = "3.5", *tenants: str, extra: tuple[Mapping[str, Any], ...] = ()) -> list[Mapping[str, Any]]:
    """Return a healthy cluster with two subscriptions to one model for each tenant."""
    things: list[Mapping[str, Any]] = [*b.a_cluster(release, *tenants)]
    for tenant in tenants or (DEFAULT,):
        namespace = b.namespace_of(tenant)
        model = "granite" if tenant == DEFAULT else f"granite-{tenant}"
        stamp = "legacy" if release == "3.6" else ""
        subscriptions = [
            b.a_subscription(name, model, namespace=namespace, identity=stamp) for name in ("batch", "free")
        ]
        names = [f"{namespace}/{name}" for name in ("batch", "free")]
        limits = model_limits(release, *subscriptions, model=model)
        things += [*subscriptions, b.a_model_ref(model), b.a_policy(model, limits, *names)]
        if release == "3.6":
            fields = ("userid", "selected_subscription", "selected_subscription_key", "selected_subscription_id")
            things.append(b.an_auth_policy(b.gateway_name_of(tenant), properties=fields))
    return [*things, *extra]


def facts(snapshot: Snapshot, tenant: str = DEFAULT, **changes: Any) -> TenantAssessment:
    """Return a tenant that may go on, as the assessment says it."""
    config = resources.MAAS_TENANT_CONFIG.ref(b.namespace_of(tenant), resources.TENANT_CONFIG_NAME)
    name = naming.suffixed(naming.PLUGINS_CONFIG_MAP, b.id_of(tenant))
    config_map = snapshot.find(*resources.CONFIG_MAP.key, resources.GATEWAY_NAMESPACE, name)
    known = snapshot.find_ref(config)
    base = TenantAssessment(
        name=tenant,
        namespace=b.namespace_of(tenant),
        tenant_id=b.id_of(tenant),
        config=config,
        config_uid=known.uid if known else "",
        gateway=resources.GATEWAY.ref(resources.GATEWAY_NAMESPACE, b.gateway_name_of(tenant)),
        config_map=ConfigMapFacts(
            namespace=resources.GATEWAY_NAMESPACE,
            name=name,
            uid=config_map.uid if config_map else "",
            verdict="default" if config_map else "absent",
        ),
        decision="proceed",
    )
    return msgspec.structs.replace(base, **changes)


def expectations(snapshot: Snapshot) -> tuple[SubscriptionExpectation, ...]:
    return tuple(
        SubscriptionExpectation(
            namespace=thing.namespace,
            name=thing.name,
            uid=thing.uid,
            expected=rate_limits.identity_of(thing).identity,
            why="existing",
        )
        for thing in snapshot.of_kind(*resources.MAAS_SUBSCRIPTION.key)
    )


def assessment(snapshot: Snapshot, *tenants: TenantAssessment, platform: Any = "3.5", **changes: Any) -> Assessment:
    base = Assessment(
        taken_at=snapshot.taken_at,
        cluster=snapshot.cluster,
        platform=platform,
        tenants=tenants or (facts(snapshot),),
        subscriptions=expectations(snapshot),
    )
    return msgspec.structs.replace(base, **changes)


def plan(
    things: list[Mapping[str, Any]], *, platform: str = "3.5", tenants: Mapping[str, Any] | None = None, **changes: Any
) -> Plan:
    """Return the plan of a cluster; *tenants* holds by name what differs from a tenant that may go on."""
    snapshot = b.a_snapshot(*things)
    wanted = tenants or {DEFAULT: {}}
    judged = assessment(
        snapshot, *(facts(snapshot, name, **facts_) for name, facts_ in wanted.items()), platform=platform
    )
    name = changes.pop("runbook", UPGRADE if platform == "3.5" else MOVE)
    options, run = changes.pop("options", Options()), changes.pop("run", "")
    return make_plan(snapshot, msgspec.structs.replace(judged, **changes), runbook(name), options, run=run)


def step(made: Plan, step_id: str) -> Any:
    """Return the step with that id, of this part or of the forecast."""
    return next(entry for entry in (*made.steps, *made.forecast) if entry.id == step_id)


def ids(steps: tuple[Step, ...]) -> list[str]:
    return [entry.id for entry in steps]


def binding(provider: str = "openai", name: str = "gpt-4o", **changes: Any) -> ModelBinding:
    base = ModelBinding(
        object=resources.EXTERNAL_MODEL.ref("llm", name),
        provider=provider,
        api_format="openai-chat",
        auth="apikey",
        path="/v1/chat/completions",
        host=f"api.{provider}.com",
        active=True,
        qualified=provider == "openai",
    )
    return msgspec.structs.replace(base, **changes)


def on_praxis(tenant: str = DEFAULT, *, status: str = annotations.STATUS_STEADY) -> list[Mapping[str, Any]]:
    """Return what differs on a cluster once Praxis has the tenant; put it after ``cluster("3.6")``."""
    tenant_id = b.id_of(tenant)
    config = b.annotated(
        b.a_tenant_config(tenant),
        **{annotations.PAYLOAD_PROCESSING_TYPE: "praxis", annotations.PAYLOAD_PROCESSING_STATUS: status},
    )
    praxis = {
        "metadata": {
            "labels": {annotations.MANAGED_BY: annotations.AI_GATEWAY_CONTROLLER},
            "uid": f"praxis-{tenant}",
            "managedFields": b.managed_by(annotations.AI_GATEWAY_CONTROLLER),
        }
    }
    deployments = [
        b.changed(b.a_deployment(naming.suffixed(base, tenant_id), resources.GATEWAY_NAMESPACE), praxis)
        for base in (naming.PAYLOAD_PROCESSING, naming.PAYLOAD_PRE_PROCESSING)
    ]
    return [config, *deployments, b.changed(b.a_praxis_config_map(tenant), praxis)]
