"""
What maas-controller 3.6 does for one tenant once the preconditions hold: IPP, or the way to Praxis, and the rest.

Source: contract 4.2, 4.4 to 4.6, 4.8.
"""

from dataclasses import dataclass
from typing import Final

from migrate.maas import annotations, naming, resources
from migrate.records.objects import Json, KubeObject
from migrate.sandbox.controllers.gate import Passage
from migrate.sandbox.controllers.handover_36 import HandOver, Stop, degraded_message, pending
from migrate.sandbox.controllers.handshake import Engine, PlatformMove, claim_of, engine_of, platform_move
from migrate.sandbox.controllers.player import Player
from migrate.sandbox.controllers.praxis import Tenant
from migrate.sandbox.controllers.rendering import ipp_objects, plugins_config_map
from migrate.sandbox.controllers.rendering_platform import platform_objects
from migrate.sandbox.controllers.shapes import is_true
from migrate.sandbox.controllers.tenancy import Tenancy
from migrate.sandbox.controllers.tenant_status_36 import degraded_status

LEAST_PRIORITY: Final = 10
"""The EnvoyFilter of payload processing must not come before the one of Kuadrant. Source: contract 4.2 step 14."""

_GATEWAY_LABEL: Final = "gateway.networking.k8s.io/gateway-name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """
    One pass over a tenant.

    Attributes:
        stop: Why it is not Ready; None when it is.

        degraded: What the Degraded condition says of accepted risks, ``""`` for nothing.
    """

    stop: Stop | None
    degraded: str = ""


class Platform:
    """Payload processing and the rest of the platform of one tenant after the other, in the name of *player*."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._view = player.view
        self._build = player.context.build
        self._hand_over = HandOver(player)

    def run(self, config: KubeObject, tenancy: Tenancy) -> Outcome:
        """
        Do what is next for the tenant.

        Raises:
            ApiError: Refused or changed meanwhile; the next pass looks again.
        """
        match platform_move(config, self._build):
            case PlatformMove.DEPLOY_IPP:
                return self._told(config, tenancy, self._deploy_ipp(tenancy))
            case PlatformMove.TAKE_BACK:
                self._hand_over.take_back(config)
                return self._told(config, tenancy, self._deploy_ipp(tenancy))
            case PlatformMove.WAIT_FOR_RELEASE:
                return self._told(config, tenancy, pending("waiting for Praxis cleanup by ai-gateway-controller"))
            case PlatformMove.HAND_OVER:
                return self._go_over(config, tenancy)
            case PlatformMove.LEAVE_TO_PRAXIS:
                self._apply_rest(tenancy)
                return self._told(config, tenancy, self._not_on_praxis(config, tenancy))

    def _go_over(self, config: KubeObject, tenancy: Tenancy) -> Outcome:
        tenant = tenant_of(tenancy)
        passed = self._hand_over.advance(config, tenant)
        if isinstance(passed, Stop):
            return self._told(config, tenancy, passed)
        told = self._told(config, tenancy, None, passed)
        if passed.accepted:
            self._record(config, told.degraded)  # Before anything is deleted: a crash must not lose it.
        stop = self._hand_over.clean_up(config, tenant)
        if stop is None:
            self._apply_rest(tenancy)
            stop = pending("IPP is gone; waiting for ai-gateway-controller to apply Praxis")
        return Outcome(stop=stop, degraded=told.degraded)

    def _told(self, config: KubeObject, tenancy: Tenancy, stop: Stop | None, passage: Passage | None = None) -> Outcome:
        bindings = self._hand_over.bindings(tenant_of(tenancy))
        on_praxis = engine_of(config, self._build) is Engine.PRAXIS
        return Outcome(stop=stop, degraded=degraded_message(config, passage, bindings, on_praxis=on_praxis))

    def _record(self, config: KubeObject, message: str) -> None:
        live = self._view.get(resources.MAAS_TENANT_CONFIG, config.namespace, config.name)
        if live is not None:
            status = degraded_status(KubeObject(live), message, self._player.now())
            self._player.ensure_status(resources.MAAS_TENANT_CONFIG, live, status)

    def _deploy_ipp(self, tenancy: Tenancy) -> Stop | None:
        self._apply_plugins(tenancy)
        for kind, thing in ipp_objects(tenancy):
            self._apply(kind, thing)
        self._apply_rest(tenancy)
        return self._not_available(tenancy) or self._wrong_filter(tenancy)

    def _apply_rest(self, tenancy: Tenancy) -> None:
        for kind, thing in platform_objects(tenancy):
            self._apply(kind, thing)

    def _apply(self, kind: resources.Kind, thing: Json) -> None:
        metadata = thing["metadata"]
        live = self._view.get(kind, str(metadata.get("namespace", "")), str(metadata["name"]))
        if live is None or not annotations.is_opted_out(KubeObject(live).annotations):
            self._player.ensure_applied(kind, thing, manager=annotations.MAAS_CONTROLLER)

    def _apply_plugins(self, tenancy: Tenancy) -> None:
        """Leave a ConfigMap with ``managed: "false"`` alone; reset the two known keys of any other."""
        wanted = plugins_config_map(tenancy)
        live = self._view.get(resources.CONFIG_MAP, tenancy.gateway_namespace, str(wanted["metadata"]["name"]))
        if live is not None and KubeObject(live).annotations.get(annotations.MANAGED) == "true":
            wanted["metadata"].pop("annotations")
        self._apply(resources.CONFIG_MAP, wanted)

    def _not_available(self, tenancy: Tenancy) -> Stop | None:
        name = tenancy.named(naming.MAAS_API)
        live = self._view.get(resources.DEPLOYMENT, tenancy.infra_namespace, name)
        return None if is_true(live, "Available") else pending(f"deployment {tenancy.infra_namespace}/{name} not ready")

    def _wrong_filter(self, tenancy: Tenancy) -> Stop | None:
        name = tenancy.named(naming.PAYLOAD_PROCESSING)
        live = self._view.get(resources.ENVOY_FILTER, tenancy.gateway_namespace, name)
        spec = KubeObject(live or {}).get("spec", default={})
        priority = spec.get("priority")
        selected = KubeObject(spec).get("workloadSelector", "labels", _GATEWAY_LABEL)
        right = isinstance(priority, int) and priority >= LEAST_PRIORITY and selected == tenancy.gateway_name
        return None if right else pending(f"EnvoyFilter {tenancy.gateway_namespace}/{name} is missing or not right")

    def _not_on_praxis(self, config: KubeObject, tenancy: Tenancy) -> Stop | None:
        if claim_of(config) != annotations.STATUS_STEADY:
            return pending("waiting for ai-gateway-controller to claim the tenant")
        return self._not_available(tenancy) or self._wrong_filter(tenancy)


def tenant_of(tenancy: Tenancy) -> Tenant:
    """Return the tenant as Praxis names it."""
    return Tenant(
        tenant_id=tenancy.id,
        name=tenancy.name,
        namespace=tenancy.namespace,
        gateway=tenancy.gateway_name,
        gateway_namespace=tenancy.gateway_namespace,
    )
