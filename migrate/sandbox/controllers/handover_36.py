"""
How maas-controller 3.6 takes a tenant off IPP: gate, compatibility, clean-up, and the marker that frees the names.

Source: contract 4.2 steps 1 to 7, 4.3, 4.8.
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Final

from migrate.maas import annotations, naming, resources
from migrate.maas.providers import Binding, bindings_of, deduplicated, tenant_of_model
from migrate.maas.resources import Kind
from migrate.records.objects import KubeObject
from migrate.sandbox.controllers import cleanup, gate
from migrate.sandbox.controllers.ai_gateway_models_36 import served_models
from migrate.sandbox.controllers.gate import Passage
from migrate.sandbox.controllers.handshake import claim_marks
from migrate.sandbox.controllers.maas_platform import Outcome, failed, not_ready
from migrate.sandbox.controllers.player import Player
from migrate.sandbox.controllers.praxis import Tenant
from migrate.sandbox.controllers.refusals import ApiError

_CONFIG: Final = resources.MAAS_TENANT_CONFIG
ACCEPTED: Final = "CompatibilityRiskAccepted"
"""The reason of Degraded for an accepted risk. Source: contract 4.8, a ruling."""

FOLLOWED: Final[tuple[Kind, ...]] = (
    _CONFIG,
    resources.MAAS_EXTERNAL_MODEL,
    resources.EXTERNAL_MODEL,
    resources.EXTERNAL_PROVIDER,
    resources.MAAS_MODEL_REF,
    resources.HTTP_ROUTE,
    resources.POD,
    resources.HPA,
    resources.DEPLOYMENT,
    resources.SERVICE,
    resources.ENVOY_FILTER,
    resources.NETWORK_POLICY,
    resources.DESTINATION_RULE,
    resources.SERVICE_ACCOUNT,
    resources.CONFIG_MAP,
    resources.CLUSTER_ROLE_BINDING,
)
"""What a player must follow to hand over."""


class Standing(Outcome):
    """An outcome to stay in until somebody else moves: blocked, or waiting for ai-gateway-controller."""


def standing(message: str) -> Outcome:
    """Return the outcome of a blocked tenant, and of one that waits for Praxis."""
    waits = not_ready(message)
    return Standing(**{field.name: getattr(waits, field.name) for field in fields(waits)})


class HandOver:
    """The hand-over of one tenant after the other, in the name of *player*."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._view = player.view
        self._build = player.context.build

    def advance(self, config: KubeObject, tenant: Tenant) -> Outcome | Passage:
        """
        Go as far as possible in one pass; return why it stops, or what let it pass when the names are free.

        Raises:
            ApiError: Refused or changed meanwhile; the next pass looks again.
        """
        passage = self.judge(config, tenant)
        if not passage.open:
            self._mark(config, {annotations.PAYLOAD_PROCESSING_MIGRATION: annotations.MIGRATION_BLOCKED})
            return standing(passage.message)
        return passage

    def judge(self, config: KubeObject, tenant: Tenant) -> Passage:
        """Judge the ConfigMap and the models; write ``apiTranslation`` in between where step 2 says so."""
        name = tenant.named(naming.PLUGINS_CONFIG_MAP)
        found = self._player.client.find(resources.CONFIG_MAP, tenant.gateway_namespace, name)
        judged = KubeObject(found) if found is not None else None
        passage = gate.judge_config_map(config, f"{tenant.gateway_namespace}/{name}", judged, self._build)
        if not passage.open:
            return passage
        translation = translation_of(config)
        if gate.writes_translation(passage, self._build, translation=translation):
            self._player.ensure_patched(_CONFIG, dict(config.raw), {"spec": {"apiTranslation": {"enabled": True}}})
            translation = True
        return gate.judge_models(passage, self.bindings(tenant), self._build, translation=translation)

    def bindings(self, tenant: Tenant) -> tuple[Binding, ...]:
        """Return the provider references of the tenant's external models, of both groups."""
        providers = {(thing.namespace, thing.name): thing for thing in self._all(resources.EXTERNAL_PROVIDER)}
        refs = self._all(resources.MAAS_MODEL_REF)
        models = deduplicated(self._all(resources.EXTERNAL_MODEL), self._all(resources.MAAS_EXTERNAL_MODEL))
        return tuple(
            binding
            for model in models
            if tenant.name in tenant_of_model(model, refs)
            for binding in bindings_of(model, providers)
        )

    def clean_up(self, config: KubeObject, tenant: Tenant) -> Outcome | None:
        """
        Delete IPP, look whether its Pods are gone, delete its routes, free the names; return why it stops, or None.

        Raises:
            ApiError: The marker could not be written; the next pass looks again.
        """
        left = self._delete_ipp(tenant)
        if left:
            return failed(f"IPP clean-up: {left}, routes are cleaned later")
        self._delete_routes(tenant)
        self._mark(
            config,
            {
                annotations.PAYLOAD_PROCESSING_MIGRATION: None,
                **claim_marks(annotations.STATUS_CLEANUP_COMPLETE, self._build),
            },
        )
        return None

    def take_back(self, config: KubeObject) -> None:
        """Claim the free names for IPP: remove the marker, on the version that was read."""
        self._mark(config, claim_marks("", self._build))

    def _delete_ipp(self, tenant: Tenant) -> str:
        """Delete in the listed order; return what still stands in the way, ``""`` when nothing does."""
        refused = ""
        for kind, ref in cleanup.ipp_resources(tenant.tenant_id, tenant.gateway_namespace):
            live = self._view.get(kind, ref.namespace, ref.name)
            if live is None or not cleanup.is_maas_owned(KubeObject(live)):
                continue
            try:
                self._player.remove(kind, live, foreground=cleanup.propagation_of(kind) == "Foreground")
            except ApiError as error:
                refused = refused or f"{ref} cannot be deleted yet ({error})"
        return refused or self._writer(tenant)

    def _writer(self, tenant: Tenant) -> str:
        """Return the first Pod, or Deployment of ours, that still writes; ``""`` when all have stopped."""
        for pod in self._all(resources.POD):
            if pod.namespace == tenant.gateway_namespace and cleanup.is_payload_pod(pod, tenant.tenant_id):
                return f"pod {pod.namespace}/{pod.name} still runs"
        for kind, ref in cleanup.ipp_resources(tenant.tenant_id, tenant.gateway_namespace):
            live = self._view.get(kind, ref.namespace, ref.name) if kind == resources.DEPLOYMENT else None
            if live is not None and cleanup.is_maas_owned(KubeObject(live)):
                return f"deployment {ref.namespace}/{ref.name} is not gone"
        return ""

    def _delete_routes(self, tenant: Tenant) -> None:
        models = served_models(tenant.name, self._all(resources.EXTERNAL_MODEL), self._all(resources.MAAS_MODEL_REF))
        by_name = {(model.namespace, model.name): model for model in models}
        for route in self._all(resources.HTTP_ROUTE):
            if cleanup.is_ipp_route(route, by_name):
                self._player.remove(resources.HTTP_ROUTE, dict(route.raw))

    def _mark(self, config: KubeObject, wanted: dict[str, str | None]) -> None:
        """Merge annotations into the config on the version that the view holds now, which our own writes moved."""
        live = self._view.get(_CONFIG, config.namespace, config.name)
        if live is None or KubeObject(live).uid != config.uid:
            return
        self._player.ensure_patched(_CONFIG, live, {"metadata": {"annotations": dict(wanted)}})

    def _all(self, kind: Kind) -> tuple[KubeObject, ...]:
        return tuple(KubeObject(thing) for thing in self._view.list(kind))


def translation_of(config: KubeObject) -> bool | None:
    """Return ``spec.apiTranslation.enabled``: three states, None is absent."""
    value = config.get("spec", "apiTranslation", "enabled")
    return value if isinstance(value, bool) else None


def degraded_message(
    config: KubeObject, passage: Passage | None, bindings: Sequence[Binding], *, on_praxis: bool
) -> str:
    """
    Return what the Degraded condition says of accepted risks; ``""`` clears it.

    The record is kept in the condition itself. What was said of models goes
    when no active one needs it, what was said of force stays; both go at ``ipp``.
    """
    if not on_praxis:
        return ""
    if passage is not None and passage.accepted:
        return passage.accepted
    condition = config.condition("Degraded") or {}
    if condition.get("status") != "True" or condition.get("reason") != ACCEPTED:
        return ""
    told = str(condition.get("message", ""))
    if gate.affected_models(bindings, translation=translation_of(config)):
        return told
    return gate.FORCED if gate.FORCED in told else ""
