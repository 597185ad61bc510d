"""
ai-gateway-controller of 3.6: claims a tenant whose IPP is gone, applies Praxis, and gives the names back.

It writes no condition anywhere: that it waits or refuses shows only in what
does not happen. Every wait is looked at again after ten seconds, or when the
MaasTenantConfig changes. Source: contract 3.6, 4.2 steps 9 to 13, 4.6, 4.8.
"""

from collections.abc import Sequence
from typing import ClassVar, Final

from migrate.maas import annotations, naming, resources
from migrate.maas.gateways import GatewayError, aitenant_ref, gateway_of
from migrate.maas.resources import Kind
from migrate.records.objects import Json, KubeObject
from migrate.sandbox.controllers import praxis
from migrate.sandbox.controllers.ai_gateway_models_36 import model_route, routing_overlay, served_models
from migrate.sandbox.controllers.cleanup import is_payload_pod
from migrate.sandbox.controllers.gate import holds_ipp_keys
from migrate.sandbox.controllers.handshake import GatewayMove, claim_marks, gateway_move
from migrate.sandbox.controllers.player import Player, PlayerContext
from migrate.sandbox.controllers.praxis import Tenant, kind_of, ref_of

REQUEUE_S: Final = 10.0
_CONFIG: Final = resources.MAAS_TENANT_CONFIG
_FINALIZER: Final = annotations.PRAXIS_CLEANUP_FINALIZER


class AiGatewayController(Player):
    """ai-gateway-controller, all tenants."""

    name: ClassVar[str] = "ai-gateway-controller-3.6"
    manager: ClassVar[str] = annotations.AI_GATEWAY_CONTROLLER
    kinds: ClassVar[tuple[Kind, ...]] = (
        _CONFIG,
        resources.AI_TENANT,
        resources.GATEWAY,
        resources.MAAS_MODEL_REF,
        resources.EXTERNAL_MODEL,
        resources.EXTERNAL_PROVIDER,
        resources.HTTP_ROUTE,
        resources.CONFIG_MAP,
        resources.SERVICE_ACCOUNT,
        resources.SERVICE,
        resources.DEPLOYMENT,
        resources.DESTINATION_RULE,
        resources.NETWORK_POLICY,
        resources.ENVOY_FILTER,
        resources.CLUSTER_ROLE_BINDING,
        resources.POD,
    )

    def __init__(self, context: PlayerContext) -> None:
        super().__init__(context)
        self._seen: dict[str, str] = {}

    def reconcile(self) -> None:
        """Take the next step for every tenant."""
        self.each(self.view.list(_CONFIG), lambda config: self._tenant(KubeObject(config)))

    def _tenant(self, config: KubeObject) -> None:
        move = gateway_move(config, self.context.build)
        seen = self._seen.get(config.uid) == config.resource_version
        if move is GatewayMove.NOTHING or (seen and self.timers.held(config.uid)):
            return
        tenant = self._resolved(config)
        if tenant is None or not self._moved(move, config, tenant):
            self._seen[config.uid] = config.resource_version
            self.timers.hold(config.uid, REQUEUE_S, pending=move is GatewayMove.RELEASE)

    def _moved(self, move: GatewayMove, config: KubeObject, tenant: Tenant) -> bool:
        """Do *move*; return whether there is nothing to wait for."""
        if move is GatewayMove.CLAIM:
            self._claim(config)
            return True
        if move is GatewayMove.RELEASE:
            return self._release(config, tenant)
        return self._serve(config, tenant)

    def _resolved(self, config: KubeObject) -> Tenant | None:
        """Return the tenant of *config* once its AITenant names a Gateway that exists."""
        named = aitenant_ref(config)
        aitenant = self.view.get(resources.AI_TENANT, named.namespace, named.name) if named else None
        if aitenant is None:
            return None
        try:
            gateway = gateway_of(config, KubeObject(aitenant), None, None).gateway
            tenant_id = naming.tenant_id_of(config)
        except (GatewayError, naming.TenantIdentityError):
            return None
        if self.view.get(resources.GATEWAY, gateway.namespace, gateway.name) is None:
            return None
        return Tenant(
            tenant_id=tenant_id,
            name=tenant_id or resources.DEFAULT_TENANT_NAME,
            namespace=config.namespace,
            gateway=gateway.name,
            gateway_namespace=gateway.namespace,
        )

    def _claim(self, config: KubeObject) -> None:
        """Write ``steady`` and the finalizer in one update, on the version that was read."""
        self._mark(config, annotations.STATUS_STEADY, sorted({*_finalizers(config), _FINALIZER}))

    def _mark(self, config: KubeObject, claim: str, finalizers: list[str]) -> None:
        marks: Json = dict(claim_marks(claim, self.context.build))
        body: Json = {"metadata": {"annotations": marks, "finalizers": finalizers or None}}
        self.ensure_patched(_CONFIG, dict(config.raw), body)

    def _serve(self, config: KubeObject, tenant: Tenant) -> bool:
        """Apply Praxis; return False where it has to be tried again later."""
        models = served_models(tenant.name, self._all(resources.EXTERNAL_MODEL), self._all(resources.MAAS_MODEL_REF))
        overlay = routing_overlay(models, self._all(resources.EXTERNAL_PROVIDER))
        if models and overlay.skipped and self.context.build.overlay_hang:
            return False
        wanted = praxis.serving_objects(tenant, _replicas(config))
        if models:
            wanted = (praxis.overlay(tenant, overlay.document), *wanted, *praxis.external_model_objects(tenant))
        if any(praxis.too_long(wanted)):
            return True  # Refused for good: it does not come back to a name that cannot become shorter.
        if self._is_foreign(wanted) or self._is_refused(config, tenant):
            return False
        self.each([dict(model.raw) for model in models], lambda model: self._route(tenant, KubeObject(model)))
        self.each(wanted, self._apply)
        return True

    def _is_refused(self, config: KubeObject, tenant: Tenant) -> bool:
        """Return whether the second gate stays closed: either IPP key is still in the plugins ConfigMap."""
        if not self.context.build.aigc_gate or annotations.is_forced(config.annotations):
            return False
        name = tenant.named(naming.PLUGINS_CONFIG_MAP)
        found = self.view.get(resources.CONFIG_MAP, tenant.gateway_namespace, name)
        return holds_ipp_keys(KubeObject(found) if found is not None else None)

    def _is_foreign(self, wanted: Sequence[Json]) -> bool:
        """Return whether somebody else holds one of the names."""
        return any(not _is_ours(live) for thing in wanted if (live := self._live_of(thing)) is not None)

    def _live_of(self, thing: Json) -> Json | None:
        ref = ref_of(thing)
        return self.view.get(kind_of(thing), ref.namespace, ref.name)

    def _apply(self, thing: Json) -> None:
        live = self._live_of(thing)
        if live is None or not annotations.is_opted_out(KubeObject(live).annotations):
            self.ensure_applied(kind_of(thing), thing)

    def _route(self, tenant: Tenant, model: KubeObject) -> None:
        """Make the model's HTTPRoute and tell its name; a legacy route of that name stays and is told instead."""
        wanted = model_route(tenant, model)
        name = wanted["metadata"]["name"]
        live = self.view.get(resources.HTTP_ROUTE, model.namespace, name)
        if live is None or _is_ours(live):
            self.ensure_applied(resources.HTTP_ROUTE, wanted)
        if not self._is_with_ipp(model):
            self.ensure_status(resources.EXTERNAL_MODEL, dict(model.raw), {"httpRouteName": name, "phase": "Ready"})

    def _is_with_ipp(self, model: KubeObject) -> bool:
        """Return whether IPP still routes *model*: it may count for another tenant too, one that has not moved."""
        named = str(model.get("status", "httpRouteName", default=""))
        route = KubeObject(self.view.get(resources.HTTP_ROUTE, model.namespace, named) or {})
        return route.labels.get(annotations.MANAGED_BY) == annotations.IPP_EXTERNAL_MODEL_RECONCILER

    def _release(self, config: KubeObject, tenant: Tenant) -> bool:
        """Delete what is ours; when all of it and its Pods are gone, give the names free and drop the finalizer."""
        left = self._ours(tenant)
        for kind, live in left:
            self.attempt(lambda kind=kind, live=live: self.remove(kind, live, foreground=kind == resources.DEPLOYMENT))  # type: ignore[misc]
        pods = [pod for pod in self._all(resources.POD) if self._is_pod_of(pod, tenant)]
        if left or pods:
            return False
        self._mark(
            config,
            annotations.STATUS_CLEANUP_COMPLETE,
            [finalizer for finalizer in _finalizers(config) if finalizer != _FINALIZER],
        )
        return True

    def _ours(self, tenant: Tenant) -> list[tuple[Kind, Json]]:
        """Return every object of ours that serves *tenant*, in the order of deleting."""
        routes = [
            (resources.HTTP_ROUTE, route)
            for route in self.view.list(resources.HTTP_ROUTE)
            if _is_ours(route) and KubeObject(route).labels.get(annotations.TENANT_NAME) == tenant.name
        ]
        named = [(kind, self.view.get(kind, ref.namespace, ref.name)) for kind, ref in praxis.everything_of(tenant)]
        return routes + [(kind, live) for kind, live in named if live is not None and _is_ours(live)]

    def _is_pod_of(self, pod: KubeObject, tenant: Tenant) -> bool:
        engine = tenant.named(naming.EXTERNAL_MODEL_ENGINE)
        is_gateways = pod.namespace == tenant.gateway_namespace and is_payload_pod(pod, tenant.tenant_id)
        is_engines = pod.namespace == tenant.namespace and pod.labels.get(annotations.TENANT_INSTANCE, "") == engine
        return is_gateways or is_engines

    def _all(self, kind: Kind) -> tuple[KubeObject, ...]:
        return tuple(KubeObject(thing) for thing in self.view.list(kind))


def _is_ours(thing: Json) -> bool:
    held = KubeObject(thing)
    return (
        annotations.AI_GATEWAY_CONTROLLER in held.managers
        or held.labels.get(annotations.MANAGED_BY) == annotations.AI_GATEWAY_CONTROLLER
    )


def _finalizers(config: KubeObject) -> list[str]:
    found = config.get("metadata", "finalizers")
    return [str(finalizer) for finalizer in found] if isinstance(found, list) else []


def _replicas(config: KubeObject) -> int:
    value = config.get("spec", "payloadProcessing", "replicas")
    return value if isinstance(value, int) and value > 0 else 1
