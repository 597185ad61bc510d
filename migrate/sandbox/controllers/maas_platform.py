"""
maas-controller's reconciler of MaasTenantConfig: the checks in their order, what is rendered, the conditions.

It looks at a tenant when its MaasTenantConfig, AITenant or Config changes and
after the requeue time of the last outcome; it does not watch what it renders.
3.6 subclasses it and brings its own payload processing.

Source: contract 1.6, 2.2, 2.3, 4.1.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from migrate.maas import annotations, naming, resources
from migrate.maas.gateways import GatewayError
from migrate.maas.naming import TenantIdentityError
from migrate.maas.resources import (
    AI_TENANT,
    AUTH_CONFIG,
    AUTH_POLICY,
    AUTHORINO,
    CONFIG,
    CONFIG_MAP,
    CRD,
    DEPLOYMENT,
    DSC_INITIALIZATION,
    ENVOY_FILTER,
    GATEWAY,
    MAAS_TENANT_CONFIG,
    TENANT,
    Kind,
)
from migrate.records.objects import Json, get_in
from migrate.sandbox.controllers.access import gateway_auth_policy
from migrate.sandbox.controllers.player import Player, PlayerContext
from migrate.sandbox.controllers.refusals import ApiError
from migrate.sandbox.controllers.rendering import Rendered, ipp_objects, plugins_config_map
from migrate.sandbox.controllers.rendering_platform import platform_objects
from migrate.sandbox.controllers.shapes import condition, is_true, merged_conditions
from migrate.sandbox.controllers.tenancy import Tenancy, infra_namespace, tenancy_of

RESYNC_S: Final = 300.0
"""How often a healthy tenant is reconciled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """
    How a pass over one tenant ended.

    Attributes:
        phase: ``""`` leaves the status alone.

        deployments: Reason of DeploymentsAvailable, ``""`` leaves it alone.

        requeue_s: When to look again, in the product's seconds.
    """

    ready: bool
    reason: str
    message: str
    phase: str
    requeue_s: float
    deployments: str = ""
    dependencies: bool | None = None


def healthy() -> Outcome:
    """Return the outcome of a tenant that has all it needs."""
    message = "the manifests are applied and maas-api is available"
    return Outcome(
        ready=True,
        reason="Reconciled",
        message=message,
        phase="Active",
        requeue_s=RESYNC_S,
        deployments="DeploymentsReady",
        dependencies=True,
    )


def not_ready(message: str) -> Outcome:
    """Return the outcome of a tenant that waits for Deployments, a gate or a hand-over."""
    return Outcome(
        ready=False,
        reason="DeploymentsNotReady",
        message=message,
        phase="Pending",
        requeue_s=20,
        deployments="DeploymentsNotReady",
        dependencies=True,
    )


def failed(message: str) -> Outcome:
    """Return the outcome of a pass that met an error while applying or cleaning."""
    return Outcome(
        ready=False,
        reason="PlatformReconcileFailed",
        message=message,
        phase="Failed",
        requeue_s=45,
        deployments="PlatformReconcileFailed",
        dependencies=True,
    )


def _stopped(reason: str, message: str, phase: str, requeue_s: float, deployments: str = "") -> Outcome:
    return Outcome(
        ready=False, reason=reason, message=message, phase=phase, requeue_s=requeue_s, deployments=deployments
    )


class TenantPlatform(Player):
    """Reconciles every MaasTenantConfig. Subclasses set the release and override ``process_payloads``."""

    name = "maas-tenants"
    manager = annotations.MAAS_MANAGER
    kinds: ClassVar[tuple[Kind, ...]] = (
        MAAS_TENANT_CONFIG,
        TENANT,
        AI_TENANT,
        CONFIG,
        GATEWAY,
        CRD,
        DEPLOYMENT,
        ENVOY_FILTER,
        CONFIG_MAP,
        AUTHORINO,
        DSC_INITIALIZATION,
        AUTH_POLICY,
    )
    release: ClassVar[str] = "3.5"

    def __init__(self, context: PlayerContext) -> None:
        super().__init__(context)
        self._seen: dict[str, Hashable] = {}

    def reconcile(self) -> None:
        """Look at every tenant that has a reason to be looked at."""
        self.each(self.view.list(MAAS_TENANT_CONFIG), self._look)

    def process_payloads(self, tenant: Tenancy) -> Outcome | None:
        """Bring payload processing to where it should be; return an outcome that ends the pass, or None to go on."""
        self.apply_plugins(tenant)
        self.apply_all(ipp_objects(tenant))
        return None

    def extra_conditions(self, config: Json, outcome: Outcome) -> list[Json]:
        """Return the Degraded condition; a subclass may know more warnings."""
        generation = config["metadata"].get("generation", 1)
        if not outcome.ready:
            return []
        warnings = self.warnings()
        if not warnings:
            return [condition("Degraded", "False", "NoWarnings", generation=generation)]
        reason = "PrerequisitesWarning" if len(warnings) == 1 else "MultipleWarnings"
        return [condition("Degraded", "True", reason, "; ".join(warnings), generation=generation)]

    def policy_spec(self, tenant: Tenancy) -> Json:
        """Return the AuthPolicy of the tenant's gateway."""
        return gateway_auth_policy(tenant, self.view)

    def keeps_policy(self, live: Json, desired: Json) -> bool:
        """Whether a live AuthPolicy is left as it is by a tenant's pass: 3.5 only makes what is missing."""
        return bool(live) and bool(desired)

    def apply_all(self, objects: list[Rendered]) -> None:
        """Apply rendered objects, each unless it is opted out or its kind is not served."""
        for kind, desired in objects:
            if not self.view.is_served(kind):
                continue
            live = self.view.get(kind, str(desired["metadata"].get("namespace", "")), desired["metadata"]["name"])
            opted_out = live is not None and annotations.is_opted_out(live["metadata"].get("annotations") or {})
            if not opted_out:
                self.ensure_applied(kind, desired, manager=annotations.MAAS_CONTROLLER)

    def apply_plugins(self, tenant: Tenancy) -> None:
        """
        See to the plugins ConfigMap: opted out it is left alone, ``true`` resets it each time, absent resets it once.

        Source: contract 2.2.
        """
        desired = plugins_config_map(tenant)
        live = self.view.get(CONFIG_MAP, tenant.gateway_namespace, desired["metadata"]["name"])
        marks = ((live or {}).get("metadata") or {}).get("annotations") or {}
        if live is not None and annotations.is_opted_out(marks):
            return
        if marks.get(annotations.MANAGED):
            desired["metadata"]["annotations"] = {annotations.MANAGED: marks[annotations.MANAGED]}
        self.ensure_applied(CONFIG_MAP, desired, manager=annotations.MAAS_CONTROLLER)

    def _look(self, config: Json) -> None:
        uid = config["metadata"]["uid"]
        if config["metadata"].get("deletionTimestamp"):
            self._take_down(config)
            return
        seen = self._trigger(config)
        if self._seen.get(uid) == seen and self.timers.held(uid):
            return
        self.hold_by_finalizer(config)
        live = self.view.get(MAAS_TENANT_CONFIG, config["metadata"]["namespace"], config["metadata"]["name"]) or config
        outcome = self._judge(live)
        self._tell(live, outcome)
        now = self.view.get(MAAS_TENANT_CONFIG, live["metadata"]["namespace"], live["metadata"]["name"]) or live
        self._seen[uid] = self._trigger(now)
        self.timers.hold(uid, outcome.requeue_s, pending=self.is_passing(outcome))

    def is_passing(self, outcome: Outcome) -> bool:
        """Whether an outcome is a moment on the way, not a state to stay in: the players have not settled then."""
        return not outcome.ready and outcome.reason in {"DeploymentsNotReady", "PlatformReconcileFailed"}

    def _trigger(self, config: Json) -> Hashable:
        marks = config["metadata"].get("annotations") or {}
        tenant = self.view.get(
            AI_TENANT, marks.get(annotations.AITENANT_NAMESPACE, ""), marks.get(annotations.AITENANT_NAME, "")
        )
        owner = self.view.get(CONFIG, "", resources.CONFIG_NAME)
        return tuple((found or {}).get("metadata", {}).get("resourceVersion") for found in (config, tenant, owner))

    def hold_by_finalizer(self, config: Json) -> None:
        """Hold the MaasTenantConfig by our finalizer."""
        held = config["metadata"].get("finalizers") or []
        if annotations.TENANT_CLEANUP_FINALIZER not in held:
            body = {"metadata": {"finalizers": [*held, annotations.TENANT_CLEANUP_FINALIZER]}}
            self.ensure_patched(MAAS_TENANT_CONFIG, config, body)

    def _judge(self, config: Json) -> Outcome:
        owner = self.view.get(CONFIG, "", resources.CONFIG_NAME)
        if owner is None:
            return _stopped("ConfigMissing", "there is no Config default", "Pending", 10)
        if owner["metadata"].get("deletionTimestamp"):
            return _stopped("ConfigTerminating", "Config default is being deleted", "Pending", 10)
        unmanaged = self._management(config)
        if unmanaged:
            return unmanaged
        try:
            tenant = tenancy_of(self.view, config, owner, self.release)
        except (GatewayError, TenantIdentityError) as error:
            return _stopped("InvalidGateway", str(error), "Failed", 30)
        missing = self._missing(tenant)
        return missing or self._run(tenant)

    def _management(self, config: Json) -> Outcome | None:
        state = (config["metadata"].get("annotations") or {}).get(annotations.MANAGEMENT_STATE, "Managed")
        if state == "Managed":
            return None
        if state == "Removed":
            return _stopped("WaitingForRemovedTeardown", "the component is removed", "Pending", 10)
        if state == "Unmanaged":
            return _stopped("ManagementStateIdle", "the component is unmanaged", "", RESYNC_S)
        return _stopped("UnexpectedManagementState", f"unknown management state {state}", "Failed", 30)

    def _missing(self, tenant: Tenancy) -> Outcome | None:
        gateway = f"{tenant.gateway_namespace}/{tenant.gateway_name}"
        if self.view.get(GATEWAY, tenant.gateway_namespace, tenant.gateway_name) is None:
            return _stopped("GatewayNotReady", f"Gateway {gateway} is not there", "Pending", 30)
        if self.view.get(CRD, "", AUTH_CONFIG.crd_name) is None:
            message = f"CRD {AUTH_CONFIG.crd_name} is not there"
            return _stopped("DependenciesNotAvailable", message, "Pending", 45, "DependenciesNotMet")
        return None

    def _run(self, tenant: Tenancy) -> Outcome:
        try:
            stopped = self.process_payloads(tenant)
            self.apply_all(platform_objects(tenant))
            self._apply_policy(tenant)
        except ApiError as error:
            return failed(str(error))
        return stopped or self._availability(tenant)

    def _apply_policy(self, tenant: Tenancy) -> None:
        desired = self.policy_spec(tenant)
        live = self.view.get(AUTH_POLICY, tenant.gateway_namespace, desired["metadata"]["name"])
        if live is None:
            self.ensure(AUTH_POLICY, desired)
        elif not annotations.is_opted_out(live["metadata"].get("annotations") or {}) and not self.keeps_policy(
            live, desired
        ):
            self.replace_spec(AUTH_POLICY, live, desired)

    def _availability(self, tenant: Tenancy) -> Outcome:
        api = self.view.get(DEPLOYMENT, tenant.infra_namespace, tenant.named(naming.MAAS_API))
        if not is_true(api, "Available"):
            return not_ready(f"Deployment {tenant.infra_namespace}/{tenant.named(naming.MAAS_API)} is not available")
        name = tenant.named(naming.PAYLOAD_PROCESSING)
        if self.view.get(ENVOY_FILTER, tenant.gateway_namespace, name) is None:
            return not_ready(f"EnvoyFilter {tenant.gateway_namespace}/{name} is not there")
        return healthy()

    def warnings(self) -> list[str]:
        """Return what the prerequisites warn of: Authorino without TLS, monitoring that is not ready."""
        found = []
        authorinos = self.view.list(AUTHORINO)
        if not any(get_in(item, "spec", "listener", "tls", "enabled") is True for item in authorinos):
            found.append("no Authorino has TLS on its listener")
        for initialization in self.view.list(DSC_INITIALIZATION):
            found += [
                f"{kind} is not True"
                for kind in ("MonitoringReady", "MonitoringStackAvailable", "PersesAvailable")
                if not is_true(initialization, kind)
            ]
        return found

    def _tell(self, config: Json, outcome: Outcome) -> None:
        if not outcome.phase:
            return
        generation = config["metadata"].get("generation", 1)
        old = (config.get("status") or {}).get("conditions")
        new = self._conditions(outcome, generation) + self.extra_conditions(config, outcome)
        degraded = any(entry["type"] == "Degraded" and entry["status"] == "True" for entry in new)
        phase = "Degraded" if outcome.ready and degraded else outcome.phase
        # The words of a message may differ from one build to another: a condition that says the same is left alone.
        conditions = merged_conditions(old, _with_old_words(old, new), self.now())
        status: Json = {"phase": phase, "conditions": conditions, "infraNamespace": infra_namespace(self.view)}
        self.ensure_status(MAAS_TENANT_CONFIG, config, status)

    def _conditions(self, outcome: Outcome, generation: int) -> list[Json]:
        ready = "True" if outcome.ready else "False"
        made = [condition("Ready", ready, outcome.reason, outcome.message, generation=generation)]
        if outcome.dependencies:
            made += [
                condition("DependenciesAvailable", "True", "DependenciesMet", generation=generation),
                condition("MaaSPrerequisitesAvailable", "True", "PrerequisitesMet", generation=generation),
            ]
        elif outcome.reason == "DependenciesNotAvailable":
            made += [
                condition(
                    "DependenciesAvailable", "False", "DependencyMissing", outcome.message, generation=generation
                ),
                condition("MaaSPrerequisitesAvailable", "Unknown", "DependenciesNotMet", generation=generation),
            ]
        if outcome.deployments:
            made.append(
                condition("DeploymentsAvailable", ready, outcome.deployments, outcome.message, generation=generation)
            )
        return made

    def _take_down(self, config: Json) -> None:
        held = config["metadata"].get("finalizers") or []
        if annotations.TENANT_CLEANUP_FINALIZER not in held:
            return
        owner = self.view.get(CONFIG, "", resources.CONFIG_NAME)
        if owner is not None:
            tenant = tenancy_of(self.view, config, owner, self.release)
            rendered = [*ipp_objects(tenant), *platform_objects(tenant), (CONFIG_MAP, plugins_config_map(tenant))]
            for kind, desired in rendered:
                live = self.view.get(
                    kind, str(desired["metadata"].get("namespace", "")), str(desired["metadata"]["name"])
                )
                shared = annotations.TENANT_NAME not in desired["metadata"]["labels"]
                if live is not None and not shared:
                    self.remove(kind, live)
        left = [name for name in held if name != annotations.TENANT_CLEANUP_FINALIZER]
        self.ensure_patched(MAAS_TENANT_CONFIG, config, {"metadata": {"finalizers": left or None}})


def _with_old_words(old: Any, new: list[Json]) -> list[Json]:
    known = {entry.get("type"): entry for entry in old or [] if isinstance(entry, dict)}
    made = []
    for entry in new:
        before = known.get(entry["type"], {})
        same = before.get("status") == entry["status"] == "True" and before.get("reason") == entry["reason"]
        made.append({**entry, "message": before.get("message", "")} if same else entry)
    return made
