"""Stories of several tenants, of mixed generations, of GitOps, of moves left half done, and large ones."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from migrate.maas import annotations, naming, rate_limits, resources
from migrate.maas.resources import DEPLOYMENT, NAMESPACE, POD
from migrate.records.objects import Json
from migrate.sandbox.controllers.rendering import ipp_objects
from migrate.sandbox.controllers.tenancy import Tenancy
from migrate.sandbox.examples.platform import gateway, made, namespace_object
from migrate.sandbox.examples.plugins import CUSTOMISED, DEFAULT
from migrate.sandbox.examples.stories import (
    Rates,
    access,
    customised,
    default,
    plugins,
    served,
    subscription,
    tenant_objects,
)
from migrate.sandbox.examples.tenant import DEFAULT_TENANT, Tenant, a_tenant

TEAM_INGRESS: Final = "team-ingress"
"""A gateway namespace other than the product's own."""
LONG_NAME: Final = "assessment-of-large-language-models-west"
"""40 characters: legal on 3.5, too long for the names that Praxis makes. Source: contract 2.4."""
LARGE: Final = 120
"""How many subscriptions the example ``large`` has when nothing is said."""

_EVERYBODY: Final[Json] = {"groups": [{"name": "system:authenticated"}], "users": []}
_GRANITE: Final = "granite"


def multi_tenant(version: str) -> list[Json]:
    """
    Four tenants, one of them customised and on a Gateway elsewhere, one with a long name.

    The default one; ``redteam`` beside it; ``research`` on a Gateway in another namespace with a plugins ConfigMap of
    its own; ``quality-assurance-europe``, whose name leaves no room for external models.
    """
    research = a_tenant("research", TEAM_INGRESS)
    return [
        *default(version),
        made(NAMESPACE, "", TEAM_INGRESS),
        *another(version, a_tenant("redteam"), DEFAULT),
        *another(version, research, CUSTOMISED),
        *another(version, a_tenant("quality-assurance-europe"), DEFAULT),
    ]


def another(version: str, tenant: Tenant, data: Json, **notes: str) -> list[Json]:
    """Return a whole tenant beside the default one: Gateway, model, subscription; *notes* as in ``tenant_objects``."""
    models = served("mistral", tenant=tenant)
    return [
        namespace_object(tenant.model_namespace, labels={annotations.GATEWAY_ACCESS: "true"}),
        gateway(tenant.gateway_name, tenant.gateway_namespace, tenant.host),
        *tenant_objects(version, tenant, **notes),
        *([] if version == "3.6" and "status" in notes else [plugins(data, tenant)]),  # Gone with the clean-up.
        *models,
        subscription(version, "team", _EVERYBODY, {"mistral": [(500, "1m")]}, tenant=tenant),
        access("team-access", ["mistral"], _EVERYBODY, tenant),
    ]


def mixed_generations(version: str) -> list[Json]:
    """
    Subscriptions of both identities in one rate set, and a tenant on Praxis already.

    One subscription's spec asks for its identity. On 3.5 none of that can be:
    it is then a cluster with more subscriptions and a second tenant.
    """
    notes = {"type": "praxis", "status": annotations.STATUS_CLEANUP_COMPLETE} if version == "3.6" else {}
    rates: dict[str, Rates] = {_GRANITE: [(100, "1m")]}
    made_since = subscription(version, "made-since", _EVERYBODY, rates)
    asked = subscription(version, "asked-for-short", _EVERYBODY, rates)
    if version == "3.6":
        made_since["status"]["rateLimitIdentity"] = rate_limits.SHORT
        asked["spec"]["rateLimitIdentity"] = rate_limits.SHORT
        asked["status"]["rateLimitIdentity"] = rate_limits.SHORT
    return [*default(version), made_since, asked, *another(version, a_tenant("redteam"), DEFAULT, **notes)]


def gitops(version: str) -> list[Json]:
    """As ``customised``, in the hands of Argo CD (the tenant's config) and Flux (the plugins ConfigMap)."""
    found = [thing for thing in customised(version) if thing["kind"] != resources.MAAS_TENANT_CONFIG.kind]
    config = tenant_objects("3.6", DEFAULT_TENANT)[1]
    config["metadata"]["labels"]["app.kubernetes.io/instance"] = "maas"
    config["metadata"]["annotations"]["argocd.argoproj.io/tracking-id"] = (
        f"maas:{resources.MAAS_GROUP}/{config['kind']}:{config['metadata']['namespace']}/{config['metadata']['name']}"
    )
    marks = {"kustomize.toolkit.fluxcd.io/name": "maas", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}
    for thing in found:
        if thing["kind"] == resources.CONFIG_MAP.kind:
            thing["metadata"]["labels"] |= marks
    return [*found, config]


def half_migrated(version: str) -> list[Json]:
    """
    Tenants that somebody left on their way, one in each state that lasts; the default one has not begun.

    ``blocked``: the gate refuses its ConfigMap. ``held``: a Pod of IPP does not stop. ``claimed``: the status says
    something that no controller knows. ``foreign``: somebody else's Deployment has a name that Praxis needs. The one
    with the long name: nobody claims it. ``left-over``: back on IPP, with ``force`` and ``blocked`` still there.
    """
    held = a_tenant("held")
    return [
        *default(version),
        *another(version, a_tenant("blocked"), CUSTOMISED, type="praxis"),
        *(_ipp(a_tenant("blocked")) if version == "3.6" else []),
        *another(version, held, DEFAULT, type="praxis"),
        _held_pod(held),
        *another(version, a_tenant("claimed"), DEFAULT, type="praxis", status="claimed-by-hand"),
        *another(version, a_tenant("foreign"), DEFAULT, type="praxis", status=annotations.STATUS_STEADY),
        *([_foreign_deployment(a_tenant("foreign"))] if version == "3.6" else []),
        *another(version, a_tenant(LONG_NAME), DEFAULT, type="praxis", status=annotations.STATUS_CLEANUP_COMPLETE),
        *another(version, a_tenant("left-over"), DEFAULT, type="ipp", migration="blocked", force="true"),
    ]


def _ipp(tenant: Tenant) -> list[Json]:
    """Return what maas-controller had rendered for a tenant before the upgrade: it goes on serving."""
    config = tenant_objects("3.6", tenant)[1]
    owner = made(resources.CONFIG, "", resources.CONFIG_NAME)
    owner["metadata"]["uid"] = "config"  # Owners are linked anew, by name.
    tenancy = Tenancy(
        id=tenant.tenant_id,
        name=tenant.name,
        namespace=tenant.namespace,
        gateway_name=tenant.gateway_name,
        gateway_namespace=tenant.gateway_namespace,
        infra_namespace=resources.INFRA_NAMESPACE,
        config=config,
        config_owner=owner,
        release="3.6",
    )
    entry = {"manager": annotations.MAAS_CONTROLLER, "operation": "Apply", "fieldsType": "FieldsV1", "fieldsV1": {}}
    found = []
    for kind, thing in ipp_objects(tenancy):
        head = {"apiVersion": kind.api_version, "kind": kind.kind}
        found.append({**head, **thing, "metadata": {**thing["metadata"], "managedFields": [entry]}})
    return found


def _held_pod(tenant: Tenant) -> Json:
    name = naming.suffixed(naming.PAYLOAD_PROCESSING, tenant.tenant_id)
    labels = {annotations.APP: naming.PAYLOAD_PROCESSING, annotations.TENANT_INSTANCE: name}
    container = {"name": "payload-processing", "image": "registry.redhat.io/rhoai/odh-payload-processing-rhel9:v3.5"}
    pod = made(
        POD, tenant.gateway_namespace, f"{name}-5d9c7b6f4d-x2x2x", labels=labels, spec={"containers": [container]}
    )
    pod["metadata"]["finalizers"] = ["debug.example.com/hold"]
    pod["status"] = {"phase": "Running", "startTime": "2026-11-01T08:00:00Z"}
    return pod


def _foreign_deployment(tenant: Tenant) -> Json:
    name = naming.suffixed(naming.PAYLOAD_PROCESSING, tenant.tenant_id)
    labels = {"app": "somebody-elses"}
    container = {"name": "proxy", "image": "quay.io/example/proxy:1"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    return made(DEPLOYMENT, tenant.gateway_namespace, name, labels=dict(labels), spec=spec)


def large(version: str) -> list[Json]:
    """As ``default``, with many more subscriptions; ``sandbox --subscriptions N`` says how many."""
    return default(version)


def more_subscriptions(version: str, count: int) -> list[Json]:
    """Return *count* subscriptions of the default tenant, in twelve rate sets over its two served models."""
    found = []
    for number in range(count):
        rates: Rates = [(100 * (1 + number % 6), "1m" if number % 2 else "1h")]
        owner: dict[str, Any] = {"groups": [{"name": f"team-{number:05}"}], "users": []}
        model = (_GRANITE, "llama")[number % 2]
        found.append(subscription(version, f"team-{number:05}", owner, {model: rates}))
    return found


MANY: Final[Mapping[str, Callable[[str], list[Json]]]] = {
    "multi-tenant": multi_tenant,
    "mixed-generations": mixed_generations,
    "gitops": gitops,
    "half-migrated": half_migrated,
    "large": large,
}
"""The other examples, by name."""
