"""
MaaSSubscriptions and the TokenRateLimitPolicy of each model, as maas-controller of 3.5 keeps them.

3.6 subclasses this and brings its own limits and stamps.
Source: contract 1.3, 6.2.
"""

from collections import defaultdict
from typing import ClassVar, Final

from migrate.maas import annotations, naming
from migrate.maas.rate_limits import Member, is_enforced, legacy_limits, member_of, model_refs_of
from migrate.maas.resources import (
    HTTP_ROUTE,
    MAAS_MODEL_REF,
    MAAS_SUBSCRIPTION,
    MAAS_TENANT_CONFIG,
    TENANT,
    TOKEN_RATE_LIMIT_POLICY,
    Kind,
)
from migrate.records.objects import Json, KubeObject, get_in
from migrate.sandbox.controllers.player import Player, PlayerContext
from migrate.sandbox.controllers.shapes import condition, is_true, merged_conditions
from migrate.sandbox.controllers.workloads import owner_reference

Key = tuple[str, str]

MOST_PEERS: Final = 50
"""So many subscriptions of one priority are named in a message, which has a limit."""


class Subscriptions(Player):
    """One policy for each model, one status for each subscription."""

    name = "maas-subscriptions"
    manager = annotations.MAAS_MANAGER
    kinds: ClassVar[tuple[Kind, ...]] = (
        MAAS_SUBSCRIPTION,
        MAAS_MODEL_REF,
        MAAS_TENANT_CONFIG,
        TENANT,
        HTTP_ROUTE,
        TOKEN_RATE_LIMIT_POLICY,
    )

    def __init__(self, context: PlayerContext) -> None:
        super().__init__(context)
        self._peers: dict[tuple[str, int], list[str]] = {}

    def reconcile(self) -> None:
        """See to the finalizers and stamps, then the policies, then the statuses."""
        self.each(self.subscriptions(), self._hold)
        wanted = self._members()
        for model, members in wanted.items():
            self.attempt(lambda m=model, s=members: self._police(m, s))  # type: ignore[misc]
        self._retire(set(wanted))
        self._peers = self._by_priority()
        alive = [found for found in self.subscriptions() if not found["metadata"].get("deletionTimestamp")]
        self.each(alive, self._tell)

    def subscriptions(self) -> list[Json]:
        """Return the subscriptions in namespaces of tenants; others are ignored."""
        tenants = {found["metadata"]["namespace"] for found in self.view.list(MAAS_TENANT_CONFIG)}
        tenants |= {found["metadata"]["namespace"] for found in self.view.list(TENANT)}
        return [found for found in self.view.list(MAAS_SUBSCRIPTION) if found["metadata"]["namespace"] in tenants]

    def member(self, subscription: Json, model_ref: Json) -> Member:
        """Return a subscription as a member of a model's policy."""
        return member_of(KubeObject(subscription), model_ref, "legacy")

    def limits(self, members: list[Member]) -> dict[str, Json]:
        """Return ``spec.limits`` for *members*; empty means no policy."""
        return legacy_limits(members)

    def takes(self, member: Member) -> bool:
        """Whether a member gets into the policy at all."""
        return all(is_enforced(rate) for rate in member.rates)

    def extra_status(self, subscription: Json) -> Json:
        """Return further status fields of a subscription; 3.5 has none."""
        del subscription
        return {}

    def _hold(self, subscription: Json) -> None:
        held = subscription["metadata"].get("finalizers") or []
        mark = annotations.SUBSCRIPTION_CLEANUP_FINALIZER
        if subscription["metadata"].get("deletionTimestamp"):
            left = [name for name in held if name != mark]
            self.ensure_patched(MAAS_SUBSCRIPTION, subscription, {"metadata": {"finalizers": left or None}})
        elif mark not in held:
            # The product writes the whole object back, and its type leaves empty lists out.
            owner = subscription["spec"].get("owner") or {}
            empty = {key: None for key in ("groups", "users") if owner.get(key) == []}
            body = {"metadata": {"finalizers": [*held, mark]}, "spec": {"owner": empty}}
            self.ensure_patched(MAAS_SUBSCRIPTION, subscription, body)

    def _members(self) -> dict[Key, list[Member]]:
        found: dict[Key, list[Member]] = defaultdict(list)
        for subscription in self.subscriptions():
            if subscription["metadata"].get("deletionTimestamp"):
                continue
            for model_ref in model_refs_of(KubeObject(subscription)):
                key = (str(model_ref.get("namespace")), str(model_ref.get("name")))
                found[key].append(self.member(subscription, model_ref))
        return found

    def _police(self, model: Key, members: list[Member]) -> None:
        route = self.route_of(model)
        if route is None:
            return
        limits = self.limits(members)
        namespace, name = str(route["metadata"]["namespace"]), naming.trlp_name(model[1])
        live = self.view.get(TOKEN_RATE_LIMIT_POLICY, namespace, name)
        if live is not None and annotations.is_opted_out(live["metadata"].get("annotations") or {}):
            return
        if not limits:
            if live is not None:
                self.remove(TOKEN_RATE_LIMIT_POLICY, live)
            return
        taken = sorted({member.subscription for member in members if self.takes(member)})
        desired = _policy(model, route, namespace, limits, taken)
        if live is None:
            self.ensure(TOKEN_RATE_LIMIT_POLICY, desired)
        elif not live["metadata"].get("deletionTimestamp"):
            self.replace_spec(TOKEN_RATE_LIMIT_POLICY, live, desired)

    def _by_priority(self) -> dict[tuple[str, int], list[str]]:
        found: dict[tuple[str, int], list[str]] = defaultdict(list)
        for subscription in self.subscriptions():
            metadata = subscription["metadata"]
            key = (str(metadata["namespace"]), int(subscription["spec"].get("priority", 0)))
            found[key].append(f"{metadata['namespace']}/{metadata['name']}")
        return found

    def _retire(self, wanted: set[Key]) -> None:
        for policy in self.view.list(TOKEN_RATE_LIMIT_POLICY):
            labels = policy["metadata"].get("labels") or {}
            marks = policy["metadata"].get("annotations") or {}
            ours = labels.get(annotations.PART_OF) == annotations.PART_OF_SUBSCRIPTION
            model = (labels.get(annotations.MODEL_NAMESPACE, ""), labels.get(annotations.MODEL, ""))
            if ours and model not in wanted and not annotations.is_opted_out(marks):
                self.attempt(lambda p=policy: self.remove(TOKEN_RATE_LIMIT_POLICY, p))  # type: ignore[misc]

    def route_of(self, model: Key) -> Json | None:
        """Return the HTTPRoute of a MaaSModelRef, by its status."""
        ref = self.view.get(MAAS_MODEL_REF, *model)
        name = get_in(ref, "status", "httpRouteName", default="")
        namespace = get_in(ref, "status", "httpRouteNamespace", default=model[0])
        return self.view.get(HTTP_ROUTE, namespace, name) if name else None

    def _tell(self, subscription: Json) -> None:
        references = model_refs_of(KubeObject(subscription))
        models = [self._model_status(ref) for ref in references]
        policies = [self._policy_status(ref) for ref, known in zip(references, models, strict=True) if known["ready"]]
        phase, reason = _phase(models, policies)
        generation = subscription["metadata"].get("generation", 1)
        ready = "True" if phase == "Active" else "False"
        message = "successfully reconciled" if ready == "True" else "not every model is ready"
        new = [
            condition("Ready", ready, reason, message, generation=generation),
            self._priority(subscription, generation),
        ]
        old = (subscription.get("status") or {}).get("conditions")
        status: Json = {
            "phase": phase,
            "conditions": merged_conditions(old, new, self.now()),
            "modelRefStatuses": models,
            "tokenRateLimitStatuses": policies,
            **self.extra_status(subscription),
        }
        self.ensure_status(MAAS_SUBSCRIPTION, subscription, status)

    def _model_status(self, reference: Json) -> Json:
        there = self.view.get(MAAS_MODEL_REF, str(reference.get("namespace")), str(reference.get("name")))
        made: Json = {"name": reference.get("name"), "namespace": reference.get("namespace")}
        if there is None:
            return {**made, "ready": False, "reason": "NotFound", "message": "MaaSModelRef not found"}
        return {**made, "ready": True, "reason": "Valid"}

    def _policy_status(self, reference: Json) -> Json:
        model = (str(reference.get("namespace")), str(reference.get("name")))
        route = self.route_of(model)
        namespace = str(route["metadata"]["namespace"]) if route else model[0]
        name = naming.trlp_name(model[1])
        made: Json = {"name": name, "namespace": namespace, "model": model[1]}
        if route is None:
            return {**made, "ready": False, "reason": "BackendNotReady", "message": "the model has no HTTPRoute yet"}
        policy = self.view.get(TOKEN_RATE_LIMIT_POLICY, namespace, name)
        if policy is None:
            return {**made, "ready": False, "reason": "NotFound", "message": "TokenRateLimitPolicy not found"}
        opted_out = annotations.is_opted_out(policy["metadata"].get("annotations") or {})
        if opted_out or is_true(policy, "Accepted"):
            return {**made, "ready": True, "reason": "Accepted"}
        return {**made, "ready": False, "reason": "NotAccepted", "message": "TokenRateLimitPolicy is not accepted"}

    def _priority(self, subscription: Json, generation: int) -> Json:
        metadata = subscription["metadata"]
        priority = int(subscription["spec"].get("priority", 0))
        same = self._peers.get((str(metadata["namespace"]), priority), [])
        peers = [name for name in same[: MOST_PEERS + 1] if name != f"{metadata['namespace']}/{metadata['name']}"]
        if not peers:
            return condition("SpecPriorityDuplicate", "False", "NoDuplicatePeers", generation=generation)
        message = f"spec.priority {priority} is shared with: {', '.join(peers)}"
        return condition("SpecPriorityDuplicate", "True", "SharedPriority", message, generation=generation)


def _policy(model: Key, route: Json, namespace: str, limits: dict[str, Json], taken: list[str]) -> Json:
    return {
        "apiVersion": TOKEN_RATE_LIMIT_POLICY.api_version,
        "kind": TOKEN_RATE_LIMIT_POLICY.kind,
        "metadata": {
            "name": naming.trlp_name(model[1]),
            "namespace": namespace,
            "labels": {
                annotations.MODEL: model[1],
                annotations.MODEL_NAMESPACE: model[0],
                annotations.MANAGED_BY: annotations.MAAS_CONTROLLER,
                annotations.PART_OF: annotations.PART_OF_SUBSCRIPTION,
                annotations.COMPONENT: annotations.COMPONENT_TRLP,
            },
            "annotations": {annotations.SUBSCRIPTIONS: ",".join(taken)},
            "ownerReferences": [owner_reference(HTTP_ROUTE, route)],
        },
        "spec": {
            "targetRef": {"group": HTTP_ROUTE.group, "kind": HTTP_ROUTE.kind, "name": route["metadata"]["name"]},
            "limits": limits,
        },
    }


def _phase(models: list[Json], policies: list[Json]) -> tuple[str, str]:
    valid = [known for known in models if known["ready"]]
    if not valid:
        return "Failed", "ReconcileFailed"
    if len(valid) < len(models) or not all(known["ready"] for known in policies):
        return "Degraded", "PartialFailure"
    return "Active", "Reconciled"
