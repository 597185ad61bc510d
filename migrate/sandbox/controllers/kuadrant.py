"""Kuadrant: policies become Accepted and Enforced, and each gateway with policies gets its configuration object."""

from typing import Any, ClassVar, Final

from migrate.maas import naming
from migrate.maas.resources import (
    AUTH_POLICY,
    ENVOY_FILTER,
    GATEWAY,
    HTTP_ROUTE,
    KUADRANT,
    RATE_LIMIT_POLICY,
    TELEMETRY_POLICY,
    TOKEN_RATE_LIMIT_POLICY,
    Kind,
)
from migrate.records.objects import Json
from migrate.sandbox.controllers.player import Player
from migrate.sandbox.controllers.shapes import condition, merged_conditions
from migrate.sandbox.controllers.workloads import owner_reference

POLICIES: Final = (AUTH_POLICY, TOKEN_RATE_LIMIT_POLICY, RATE_LIMIT_POLICY, TELEMETRY_POLICY)
_TARGETS: Final = {"Gateway": GATEWAY, "HTTPRoute": HTTP_ROUTE}


class Kuadrant(Player):
    """
    Judges policies by their target.

    Of several policies of one kind on one target the oldest is enforced, the
    others are overridden.
    """

    name = "kuadrant"
    manager = "kuadrant-operator"
    kinds: ClassVar[tuple[Kind, ...]] = (*POLICIES, KUADRANT, GATEWAY, HTTP_ROUTE, ENVOY_FILTER)

    def reconcile(self) -> None:
        """Judge every policy, then see to the gateways."""
        for kind in POLICIES:
            policies = [policy for policy in self.view.list(kind) if not policy["metadata"].get("deletionTimestamp")]
            first = {_target_key(policy): _age(policy) for policy in sorted(policies, key=_age, reverse=True)}
            for policy in policies:
                winner = first[_target_key(policy)] == _age(policy)
                self.attempt(lambda k=kind, p=policy, w=winner: self._judge(k, p, wins=w))  # type: ignore[misc]
        self.each(self.view.list(KUADRANT), self._ready)
        self.each(self.view.list(GATEWAY), self._configure)

    def _judge(self, kind: Kind, policy: Json, *, wins: bool) -> None:
        generation = policy["metadata"].get("generation", 1)
        target = (policy.get("spec") or {}).get("targetRef") or {}
        known = _TARGETS.get(str(target.get("kind")))
        there = known is None or self.view.get(known, policy["metadata"]["namespace"], str(target.get("name")))
        if not there:
            missing = f"{target.get('kind')} {target.get('name')} was not found"
            new = [condition("Accepted", "False", "TargetNotFound", missing, generation=generation)]
        else:
            enforced = ("True", "Enforced") if wins else ("False", "Overridden")
            new = [
                condition("Accepted", "True", "Accepted", generation=generation),
                condition("Enforced", *enforced, generation=generation),
            ]
        self._tell(kind, policy, new, keep_others=False)

    def _ready(self, kuadrant: Json) -> None:
        generation = kuadrant["metadata"].get("generation", 1)
        self._tell(KUADRANT, kuadrant, [condition("Ready", "True", "Ready", generation=generation)], keep_others=True)

    def _tell(self, kind: Kind, obj: Json, new: list[Json], *, keep_others: bool) -> None:
        old = (obj.get("status") or {}).get("conditions")
        conditions = merged_conditions(old, new, self.now(), keep_others=keep_others)
        generation = obj["metadata"].get("generation", 1)
        self.ensure_status(kind, obj, {"conditions": conditions, "observedGeneration": generation})

    def _configure(self, gateway: Json) -> None:
        name, namespace = gateway["metadata"]["name"], gateway["metadata"]["namespace"]
        config_name = f"{naming.KUADRANT_CONFIG_PREFIX}{name}"
        targeted = any(_target_key(policy) == ("Gateway", namespace, name) for policy in self._gateway_policies())
        if not targeted or self.view.get(ENVOY_FILTER, namespace, config_name) is not None:
            return
        made = {
            "apiVersion": ENVOY_FILTER.api_version,
            "kind": "EnvoyFilter",
            "metadata": {
                "name": config_name,
                "namespace": namespace,
                "labels": {"kuadrant.io/managed": "true"},
                "ownerReferences": [owner_reference(GATEWAY, gateway, block=False)],
            },
            "spec": _wasm(name),
        }
        self.ensure(ENVOY_FILTER, made)

    def _gateway_policies(self) -> list[Json]:
        return [*self.view.list(AUTH_POLICY), *self.view.list(TOKEN_RATE_LIMIT_POLICY)]


def _wasm(gateway: str) -> Json:
    return {
        "workloadSelector": {"labels": {"gateway.networking.k8s.io/gateway-name": gateway}},
        "configPatches": [
            {
                "applyTo": "HTTP_FILTER",
                "match": {"context": "GATEWAY"},
                "patch": {"operation": "INSERT_BEFORE", "value": {"name": "envoy.filters.http.wasm"}},
            }
        ],
    }


def _target_key(policy: Json) -> tuple[str, str, str]:
    target: Any = (policy.get("spec") or {}).get("targetRef") or {}
    return str(target.get("kind")), str(policy["metadata"].get("namespace", "")), str(target.get("name"))


def _age(policy: Json) -> tuple[str, str, str]:
    metadata = policy["metadata"]
    return str(metadata.get("creationTimestamp", "")), str(metadata.get("namespace", "")), str(metadata["name"])
