"""
maas-controller 3.6: the tenants. As in 3.5, and payload processing may be IPP's, Praxis' or on the way.

Source: contract 4.2, 4.4 to 4.6, 4.8.
"""

from collections.abc import Hashable
from typing import ClassVar, Final

from migrate.maas import annotations, naming, resources
from migrate.maas.resources import Kind
from migrate.records.objects import Json, KubeObject
from migrate.sandbox.controllers.access_36 import gateway_auth_policy_36, has_contract_of_36
from migrate.sandbox.controllers.gate import Passage
from migrate.sandbox.controllers.handover_36 import (
    ACCEPTED,
    FOLLOWED,
    HandOver,
    Standing,
    degraded_message,
    standing,
)
from migrate.sandbox.controllers.handshake import Engine, PlatformMove, claim_of, engine_of, platform_move
from migrate.sandbox.controllers.maas_platform import Outcome, TenantPlatform
from migrate.sandbox.controllers.player import PlayerContext
from migrate.sandbox.controllers.praxis import Tenant
from migrate.sandbox.controllers.refusals import ConflictError
from migrate.sandbox.controllers.shapes import condition, merged_conditions
from migrate.sandbox.controllers.tenancy import Tenancy

LEAST_PRIORITY: Final = 10
"""The EnvoyFilter of payload processing must not come before the one of Kuadrant. Source: contract 4.2 step 14."""

_CONFIG: Final = resources.MAAS_TENANT_CONFIG
_GATEWAY_LABEL: Final = "gateway.networking.k8s.io/gateway-name"
_MODELS: Final = (resources.EXTERNAL_MODEL, resources.MAAS_EXTERNAL_MODEL, resources.EXTERNAL_PROVIDER)


class Tenants36(TenantPlatform):
    """MaasTenantConfigs of 3.6, and all that is rendered for them."""

    name: ClassVar[str] = "maas-tenants-3.6"
    kinds: ClassVar[tuple[Kind, ...]] = (*TenantPlatform.kinds, *FOLLOWED)
    release: ClassVar[str] = "3.6"

    def __init__(self, context: PlayerContext) -> None:
        super().__init__(context)
        self._hand_over = HandOver(self)

    def process_payloads(self, tenant: Tenancy) -> Outcome | None:
        """Do what is next: IPP, the way to Praxis, or nothing but waiting."""
        config = KubeObject(tenant.config)
        try:
            return self._process(platform_move(config, self.context.build), config, tenant)
        except ConflictError:
            return _once_more()  # Somebody wrote meanwhile: nothing is decided on what was read before.

    def policy_spec(self, tenant: Tenancy) -> Json:
        """Return the AuthPolicy of the tenant's gateway."""
        return gateway_auth_policy_36(tenant, self.view)

    def keeps_policy(self, live: Json, desired: Json) -> bool:
        """Whether a live AuthPolicy is on the new contract already."""
        return has_contract_of_36(live) and bool(desired)

    def is_passing(self, outcome: Outcome) -> bool:
        """Whether an outcome goes by itself; a blocked tenant, and one that waits for Praxis, may stand for ever."""
        return super().is_passing(outcome) and not isinstance(outcome, Standing)

    def extra_conditions(self, config: Json, outcome: Outcome) -> list[Json]:
        """Return the Degraded condition, with the risks that were accepted."""
        known = KubeObject(config)
        told = self._degraded(known, None)
        generation = known.generation
        if told:
            return [condition("Degraded", "True", ACCEPTED, told, generation=generation)]
        as_before = super().extra_conditions(config, outcome)
        held = known.condition("Degraded") or {}
        if not as_before and held.get("reason") == ACCEPTED:
            return [condition("Degraded", "False", "NoWarnings", generation=generation)]
        return as_before

    def _process(self, move: PlatformMove, config: KubeObject, tenant: Tenancy) -> Outcome | None:
        match move:
            case PlatformMove.DEPLOY_IPP:
                return self._deploy_ipp(tenant)
            case PlatformMove.TAKE_BACK:
                self._hand_over.take_back(config)
                return self._deploy_ipp(tenant)
            case PlatformMove.WAIT_FOR_RELEASE:
                return standing("waiting for Praxis cleanup by ai-gateway-controller")
            case PlatformMove.HAND_OVER:
                return self._go_over(config, tenant)
            case PlatformMove.LEAVE_TO_PRAXIS:
                if claim_of(config, self.context.build) != annotations.STATUS_STEADY:
                    return standing("waiting for ai-gateway-controller to claim the tenant")
                return self._wrong_filter(tenant)

    def _deploy_ipp(self, tenant: Tenancy) -> Outcome | None:
        return super().process_payloads(tenant) or self._wrong_filter(tenant)

    def _go_over(self, config: KubeObject, tenancy: Tenancy) -> Outcome:
        tenant = tenant_of(tenancy)
        passed = self._hand_over.advance(config, tenant)
        if isinstance(passed, Outcome):
            return passed
        if passed.accepted:
            self._record(config, passed)  # Before anything is deleted: a crash must not lose it.
        return self._hand_over.clean_up(config, tenant) or standing(
            "IPP is gone; waiting for ai-gateway-controller to apply Praxis"
        )

    def _record(self, config: KubeObject, passed: Passage) -> None:
        live = self._fresh(dict(config.raw))
        known = KubeObject(live)
        told = condition("Degraded", "True", ACCEPTED, passed.accepted, generation=known.generation)
        conditions = merged_conditions(known.get("status", "conditions"), [told], self.now())
        self.ensure_status(_CONFIG, live, {"conditions": conditions})

    def _degraded(self, config: KubeObject, passed: Passage | None) -> str:
        on_praxis = engine_of(config, self.context.build) is Engine.PRAXIS
        tenant = _named_only(config)
        return degraded_message(config, passed, self._hand_over.bindings(tenant), on_praxis=on_praxis)

    def _wrong_filter(self, tenant: Tenancy) -> Outcome | None:
        name = tenant.named(naming.PAYLOAD_PROCESSING)
        live = KubeObject(self.view.get(resources.ENVOY_FILTER, tenant.gateway_namespace, name) or {})
        priority = live.get("spec", "priority")
        selected = live.get("spec", "workloadSelector", "labels", _GATEWAY_LABEL)
        right = isinstance(priority, int) and priority >= LEAST_PRIORITY and selected == tenant.gateway_name
        return None if right else standing(f"EnvoyFilter {tenant.gateway_namespace}/{name} is missing or not right")

    def _fresh(self, config: Json) -> Json:
        metadata = config["metadata"]
        return self.view.get(_CONFIG, metadata["namespace"], metadata["name"]) or config

    def _tell(self, config: Json, outcome: Outcome) -> None:
        super()._tell(self._fresh(config), outcome)  # Our own annotations have moved the resourceVersion.

    def _trigger(self, config: Json) -> Hashable:
        filters = [thing["metadata"]["resourceVersion"] for thing in self.view.list(resources.ENVOY_FILTER)]
        models = [
            (thing["metadata"]["uid"], thing["metadata"].get("generation"), "deletionTimestamp" in thing["metadata"])
            for kind in _MODELS
            for thing in self.view.list(kind)
        ]
        return super()._trigger(config), tuple(filters), tuple(models)

    def _take_down(self, config: Json) -> None:
        if annotations.PRAXIS_CLEANUP_FINALIZER not in (config["metadata"].get("finalizers") or []):
            super()._take_down(config)


def tenant_of(tenancy: Tenancy) -> Tenant:
    """Return the tenant as Praxis names it."""
    return Tenant(
        tenant_id=tenancy.id,
        name=tenancy.name,
        namespace=tenancy.namespace,
        gateway=tenancy.gateway_name,
        gateway_namespace=tenancy.gateway_namespace,
    )


def _named_only(config: KubeObject) -> Tenant:
    """Return a tenant of which only the name matters: its gateway may not be known yet."""
    name = naming.tenant_name_of(config)
    return Tenant(tenant_id="", name=name, namespace=config.namespace, gateway="", gateway_namespace="")


def _once_more() -> Outcome:
    """Return the outcome that leaves the status alone and comes again in the next pass."""
    return Outcome(ready=False, reason="Conflict", message="", phase="", requeue_s=0.0)
