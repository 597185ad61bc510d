"""What every maker of steps works with: the tenants as the plan sees them, references, policies, patches."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from migrate.maas import annotations, naming, resources
from migrate.maas.resources import Kind
from migrate.records.assessment import Assessment, TenantAssessment
from migrate.records.merging import inverse, merge
from migrate.records.objects import Json, KubeObject, ObjectRef, get_in
from migrate.records.plan import VolatilePath
from migrate.records.runbook import Phase, RunbookStep
from migrate.records.snapshot import Snapshot

ANNOTATIONS = ("metadata", "annotations")
TRANSLATION = ("spec", "apiTranslation", "enabled")
CONDITIONS_OF_POLICIES = ("Accepted", "Enforced")


@dataclass(frozen=True, slots=True)
class Tenant:
    """
    One tenant that gets steps.

    Attributes:
        facts: As assessed.

        config: Its MaasTenantConfig as it will be when the step comes: earlier steps of the plan are in it.

        gateway: Its Gateway.
    """

    facts: TenantAssessment
    config: KubeObject
    gateway: ObjectRef

    @property
    def name(self) -> str:
        """As for ``--tenant``."""
        return self.facts.name

    @property
    def config_map(self) -> ObjectRef:
        """Its plugins ConfigMap, there or not."""
        return self.at_gateway(resources.CONFIG_MAP, naming.PLUGINS_CONFIG_MAP)

    @property
    def deployments(self) -> tuple[ObjectRef, ObjectRef]:
        """The Deployments of both stages, IPP's or Praxis's."""
        return (
            self.at_gateway(resources.DEPLOYMENT, naming.PAYLOAD_PRE_PROCESSING),
            self.at_gateway(resources.DEPLOYMENT, naming.PAYLOAD_PROCESSING),
        )

    def at_gateway(self, kind: Kind, base: str) -> ObjectRef:
        """Return the tenant's object of that base name in the gateway namespace."""
        return kind.ref(self.gateway.namespace, naming.suffixed(base, self.facts.tenant_id))

    def annotation(self, key: str) -> tuple[str, ...]:
        """Return the path of an annotation."""
        return (*ANNOTATIONS, key)


@dataclass(frozen=True, slots=True)
class Work:
    """
    What a maker is given.

    Attributes:
        tenants: Those that get steps, by name.

        volatile: Paths that do not count in an essence.

        part: 1 or 2.
    """

    snapshot: Snapshot
    assessment: Assessment
    tenants: tuple[Tenant, ...]
    volatile: tuple[VolatilePath, ...]
    part: int

    def found(self, kind: Kind, namespace: str, name: str) -> KubeObject | None:
        """Return an object of the snapshot."""
        return self.snapshot.find(kind.group, kind.kind, namespace, name)

    def ref(self, kind: Kind, namespace: str, name: str) -> ObjectRef:
        """Return the reference of an object in the version that the server prefers, there or not."""
        thing = self.found(kind, namespace, name)
        if thing is not None:
            return thing.ref
        info = self.snapshot.kind_info(kind.group, kind.kind)
        version = info.api_version if info else kind.api_version
        return ObjectRef(api_version=version, kind=kind.kind, namespace=namespace, name=name)

    def known(self, ref: ObjectRef) -> ObjectRef:
        """Return *ref* in the version in which the snapshot has the object or the server the kind."""
        thing = self.snapshot.find_ref(ref)
        if thing is not None:
            return thing.ref
        info = self.snapshot.kind_info(ref.group, ref.kind)
        if info is None:
            return ref
        return ObjectRef(api_version=info.api_version, kind=ref.kind, namespace=ref.namespace, name=ref.name)

    def ignored(self, ref: ObjectRef) -> tuple[tuple[str, ...], ...]:
        """Return the paths that do not count in the essence of *ref*."""
        return ignored_paths(self.volatile, ref)


def ignored_paths(volatile: tuple[VolatilePath, ...], ref: ObjectRef) -> tuple[tuple[str, ...], ...]:
    """Return the paths of *volatile* that concern *ref*."""
    return tuple(
        entry.path
        for entry in volatile
        if (entry.group, entry.kind) == (ref.group, ref.kind) and entry.object in {None, ref}
    )


def frame(entry: RunbookStep, phase: Phase, tenant: Tenant | None) -> dict[str, Any]:
    """Return what every step takes over from its entry in the runbook."""
    return {
        "id": entry.id if tenant is None else f"{entry.id}:{tenant.name}",
        "title": entry.title,
        "phase": phase.name,
        "tenant": tenant.name if tenant else "",
        "estimate_seconds": entry.estimate_s,
        "undo_estimate_seconds": entry.undo_estimate_s,
        "timeout_seconds": entry.timeout_s,
        "attempts": entry.attempts,
        "window": entry.window,
        "prose": entry.prose,
    }


def before_of(raw: Mapping[str, Any], after: Json) -> Json:
    """
    Return the patch that takes *after* back.

    The highest absent member becomes null, so that no empty parent is left. The map of annotations is the exception:
    others write into it too, so it is never taken away as a whole.
    """
    metadata = after.get("metadata")
    noted = get_in(metadata, "annotations") if isinstance(metadata, Mapping) else None
    rest = {key: value for key, value in after.items() if key != "metadata"}
    before = inverse(raw, rest)
    if isinstance(noted, Mapping):
        there = get_in(raw, *ANNOTATIONS, default={})
        before["metadata"] = {"annotations": {key: there.get(key) for key in noted}}
    return before


def annotate(**values: str | None) -> Json:
    """Return a merge patch for annotations; use it as ``annotate(**{KEY: value})``, None removes."""
    return {"metadata": {"annotations": dict(values)}}


def with_patch(thing: KubeObject, patch: Json) -> KubeObject:
    """Return *thing* as it will be after *patch*."""
    return KubeObject(merge(thing.raw, patch))


def policies_of(snapshot: Snapshot, tenant: Tenant) -> tuple[KubeObject, ...]:
    """Return the TRLPs and the AuthPolicy that MaaS keeps for *tenant*, as they are."""
    kind = resources.TOKEN_RATE_LIMIT_POLICY
    deny = tenant.at_gateway(kind, naming.GATEWAY_DEFAULT_DENY)
    limits = (
        policy
        for policy in snapshot.of_kind(*kind.key)
        if (policy.namespace, policy.name) == (deny.namespace, deny.name)
        or tenant.facts.namespace in _subscription_namespaces(policy)
    )
    auth = snapshot.find(
        *resources.AUTH_POLICY.key, tenant.gateway.namespace, naming.auth_policy_name(tenant.gateway.name)
    )
    return (*limits, *((auth,) if auth else ()))


def _subscription_namespaces(policy: KubeObject) -> set[str]:
    named = policy.annotations.get(annotations.SUBSCRIPTIONS, "")
    return {entry.strip().partition("/")[0] for entry in named.split(",") if entry.strip()}


def models_without_route(snapshot: Snapshot, tenant: Tenant) -> frozenset[tuple[str, str]]:
    """
    Return the MaaSModelRefs, by namespace and name, whose external model loses every provider in the move.

    The operator accepted that loss; nobody may wait for their policies. Models of the old group keep their routes.
    """
    bindings: dict[tuple[str, str], list[bool]] = {}
    for binding in tenant.facts.external_models:
        if binding.active and binding.object.group == resources.INFERENCE_GROUP:
            bindings.setdefault((binding.object.namespace, binding.object.name), []).append(binding.qualified)
    lost = {model for model, qualified in bindings.items() if not any(qualified)}
    return frozenset(
        (reference.namespace, reference.name)
        for reference in snapshot.of_kind(*resources.MAAS_MODEL_REF.key)
        if reference.get("spec", "modelRef", "kind") == resources.EXTERNAL_MODEL.kind
        and (reference.namespace, str(reference.get("spec", "modelRef", "name"))) in lost
    )


def model_of(policy: KubeObject) -> tuple[str, str]:
    """Return namespace and name of the MaaSModelRef that a TRLP limits, by its labels, else by its name."""
    namespace = policy.labels.get(annotations.MODEL_NAMESPACE) or policy.namespace
    return namespace, policy.labels.get(annotations.MODEL) or policy.name.removeprefix(naming.TRLP_PREFIX)


def status_of(thing: KubeObject, condition_type: str) -> str:
    """Return the status of a condition, ``""`` where there is none."""
    condition = thing.condition(condition_type)
    return str(condition.get("status", "")) if condition else ""


def controller_of(snapshot: Snapshot) -> KubeObject | None:
    """Return the Deployment of maas-controller, wherever it runs."""
    found = [
        thing
        for thing in snapshot.of_kind(*resources.DEPLOYMENT.key)
        if thing.name == resources.MAAS_CONTROLLER_DEPLOYMENT
    ]
    usual = [thing for thing in found if thing.namespace in resources.APPLICATIONS_NAMESPACES]
    return next(iter(usual or found), None)


def applications_namespace(snapshot: Snapshot) -> str:
    """Return the namespace in which the controllers run."""
    controller = controller_of(snapshot)
    return controller.namespace if controller else resources.APPLICATIONS_NAMESPACE


def counted_subscriptions(snapshot: Snapshot) -> tuple[KubeObject, ...]:
    """Return the subscriptions that the controller looks at: those in a namespace with a MaasTenantConfig. §1.3."""
    homes = {config.namespace for config in snapshot.of_kind(*resources.MAAS_TENANT_CONFIG.key)}
    homes |= {tenant.namespace for tenant in snapshot.of_kind(*resources.TENANT.key)}
    return tuple(thing for thing in snapshot.of_kind(*resources.MAAS_SUBSCRIPTION.key) if thing.namespace in homes)
