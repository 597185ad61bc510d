"""
maas-controller 3.6: the tenants.

A tenant is reconciled when what it rests on changes, after a stop's own time,
and every five minutes; what somebody edits in between stays until then.
Source: contract 1.6, 2.2, 4.1, 4.8.
"""

from typing import ClassVar, Final

from migrate.maas import annotations, naming, resources
from migrate.maas.gateways import GatewayError
from migrate.maas.resources import Kind
from migrate.records.essence import digest_of
from migrate.records.objects import Json, KubeObject
from migrate.sandbox.controllers.handover_36 import FAILED_S, FOLLOWED, Stop
from migrate.sandbox.controllers.handshake import PlatformMove, platform_move
from migrate.sandbox.controllers.platform_36 import Outcome, Platform
from migrate.sandbox.controllers.player import Player, PlayerContext
from migrate.sandbox.controllers.tenancy import Tenancy, tenancy_of
from migrate.sandbox.controllers.tenant_status_36 import early_status, platform_status

RECONCILE_S: Final = 300.0
RELEASE: Final = "3.6"
_CONFIG: Final = resources.MAAS_TENANT_CONFIG
_MANAGED_STATES: Final = ("", "Managed")


class Tenants(Player):
    """MaasTenantConfigs, and all that is rendered for them."""

    name: ClassVar[str] = "maas-tenants-3.6"
    manager: ClassVar[str] = annotations.MAAS_MANAGER
    kinds: ClassVar[tuple[Kind, ...]] = (
        *FOLLOWED,
        resources.CONFIG,
        resources.AI_TENANT,
        resources.TENANT,
        resources.GATEWAY,
        resources.AUTH_CONFIG,
        resources.TOKEN_RATE_LIMIT_POLICY,
        resources.TELEMETRY_POLICY,
        resources.TELEMETRY,
    )

    def __init__(self, context: PlayerContext) -> None:
        super().__init__(context)
        self._platform = Platform(self)
        self._seen: dict[str, str] = {}

    def reconcile(self) -> None:
        """Reconcile every tenant whose time has come."""
        self.each(self.view.list(_CONFIG), self._tenant)

    def _tenant(self, config: Json) -> None:
        known = KubeObject(config)
        if known.is_deleting:
            self._let_go(known)
            return
        seen = self._essence(known)
        if self._seen.get(known.uid) == seen and self.timers.held(known.uid):
            return
        self.timers.forget(known.uid)
        self.ensure_patched(_CONFIG, config, _with_finalizer(known))
        early = self._early(known)
        if isinstance(early, Stop):
            self._write(known, early_status(known, early.reason, early.phase, early.message, self.now()))
            self._again(known, early.retry_s, pending=False)
            return
        self._run(known, early)

    def _run(self, config: KubeObject, tenancy: Tenancy) -> None:
        outcome = self._platform.run(config, tenancy)
        stop = outcome.stop
        told = (stop.reason, stop.phase, stop.message) if stop else None
        live = self._now(config)
        self._write(live, platform_status(live, told, outcome.degraded, tenancy.infra_namespace, self.now()))
        self._plan_next(live, outcome)

    def _plan_next(self, config: KubeObject, outcome: Outcome) -> None:
        if outcome.stop is None:
            self._again(config, RECONCILE_S, pending=False)
        elif platform_move(config, self.context.build) is PlatformMove.HAND_OVER:
            self._again(config, outcome.stop.retry_s, pending=outcome.stop.retry_s == FAILED_S)

    def _again(self, config: KubeObject, seconds: float, *, pending: bool) -> None:
        """Look again after *seconds*, or as soon as what the tenant rests on changes."""
        self._seen[config.uid] = self._essence(self._now(config))
        self.timers.hold(config.uid, seconds, pending=pending)

    def _early(self, config: KubeObject) -> Stop | Tenancy:
        """Return the tenancy of *config*, or the precondition that it fails."""
        owner = self.view.get(resources.CONFIG, "", resources.CONFIG_NAME)
        state = config.annotations.get(annotations.MANAGEMENT_STATE, "")
        if owner is None:
            return _stop("ConfigMissing", "Pending", "Config default does not exist", 10.0)
        if owner["metadata"].get("deletionTimestamp"):
            return _stop("ConfigTerminating", "Pending", "Config default is being deleted", 10.0)
        if state not in _MANAGED_STATES:
            return _unmanaged(state)
        try:
            tenancy = tenancy_of(self.view, dict(config.raw), owner, RELEASE)
        except GatewayError as error:
            return _stop("InvalidGateway", "Failed", str(error), 30.0)
        except naming.TenantIdentityError as error:
            return _stop("InvalidTenantIdentity", "Failed", str(error), 30.0)
        if self.view.get(resources.GATEWAY, tenancy.gateway_namespace, tenancy.gateway_name) is None:
            where = f"{tenancy.gateway_namespace}/{tenancy.gateway_name}"
            return _stop("GatewayNotReady", "Pending", f"Gateway {where} does not exist", 30.0)
        if not self.view.is_served(resources.AUTH_CONFIG):
            return _stop("DependenciesNotAvailable", "Pending", "AuthConfig CRD (Kuadrant) is missing", 45.0)
        return tenancy

    def _essence(self, config: KubeObject) -> str:
        """Return the digest of what a reconcile of *config* rests on, statuses of its own left out."""
        named = config.annotations
        aitenant = self.view.get(
            resources.AI_TENANT,
            named.get(annotations.AITENANT_NAMESPACE, ""),
            named.get(annotations.AITENANT_NAME, ""),
        )
        rests_on = [
            config.get("spec"),
            dict(config.annotations),
            dict(config.labels),
            ((aitenant or {}).get("status") or {}).get("gatewayRef"),
            [thing["metadata"]["uid"] for thing in self.view.list(resources.GATEWAY)],
            [thing.get("spec") for thing in self.view.list(resources.CONFIG)],
            self._models(),
        ]
        return digest_of(rests_on)

    def _models(self) -> list[object]:
        kinds = (resources.EXTERNAL_MODEL, resources.MAAS_EXTERNAL_MODEL, resources.EXTERNAL_PROVIDER)
        return [
            [thing["metadata"]["uid"], thing["metadata"].get("deletionTimestamp"), thing.get("spec")]
            for kind in kinds
            for thing in self.view.list(kind)
        ]

    def _now(self, config: KubeObject) -> KubeObject:
        live = self.view.get(_CONFIG, config.namespace, config.name)
        return KubeObject(live) if live is not None else config

    def _write(self, config: KubeObject, status: Json) -> None:
        self.ensure_status(_CONFIG, dict(self._now(config).raw), status)

    def _let_go(self, config: KubeObject) -> None:
        """Drop our finalizer once ai-gateway-controller has dropped its own."""
        left = [str(finalizer) for finalizer in config.get("metadata", "finalizers", default=[])]
        if annotations.TENANT_CLEANUP_FINALIZER in left and annotations.PRAXIS_CLEANUP_FINALIZER not in left:
            left.remove(annotations.TENANT_CLEANUP_FINALIZER)
            self.ensure_patched(_CONFIG, dict(config.raw), {"metadata": {"finalizers": left or None}})


def _with_finalizer(config: KubeObject) -> Json:
    held = [str(finalizer) for finalizer in config.get("metadata", "finalizers", default=[])]
    if annotations.TENANT_CLEANUP_FINALIZER in held:
        return {}
    return {"metadata": {"finalizers": [*held, annotations.TENANT_CLEANUP_FINALIZER]}}


def _stop(reason: str, phase: str, message: str, retry_s: float) -> Stop:
    return Stop(reason=reason, phase=phase, message=message, retry_s=retry_s)


def _unmanaged(state: str) -> Stop:
    if state == "Unmanaged":
        return _stop("ManagementStateIdle", "Pending", "management state is Unmanaged", RECONCILE_S)
    if state == "Removed":
        return _stop("WaitingForRemovedTeardown", "Pending", "management state is Removed", 10.0)
    return _stop("UnexpectedManagementState", "Failed", f"unknown management state {state!r}", 30.0)
