"""Is the plan still about the cluster as it is? What changed, from what to what, and who did it."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from migrate.changes.plan_parts import counted_subscriptions, ignored_paths
from migrate.maas import gateways, resources
from migrate.records.assessment import TenantAssessment
from migrate.records.essence import essence, fingerprint, outline
from migrate.records.objects import KubeObject, ObjectRef, Record, shown, walk
from migrate.records.plan import Ground, GroundSet, Plan
from migrate.records.snapshot import Snapshot


class Stale(Record, kw_only=True):
    """
    One thing that is not as the plan rests on it.

    Attributes:
        object: None for the cluster itself.

        path: Dotted path in the object, ``""`` for the object as a whole.

        reason: ``cluster`` another cluster, ``uid`` another object of that name, ``gone``, ``appeared``, ``changed``,
            ``unreadable`` nobody knows.

        before: As the plan has it.

        after: As it is.

        who: The field manager that wrote it last, ``""`` when nobody can tell.

        at: When, as that manager's entry says.
    """

    object: ObjectRef | None = None
    path: str = ""
    reason: Literal["cluster", "uid", "gone", "appeared", "changed", "unreadable"]
    before: Any = None
    after: Any = None
    who: str = ""
    at: str = ""

    def __str__(self) -> str:
        what = f"{self.object or 'the cluster'}{' ' + self.path if self.path else ''}"
        by = f" (by {self.who}{' at ' + self.at if self.at else ''})" if self.who else ""
        if self.reason == "changed":
            return f"{what}: from {shown(self.before)} to {shown(self.after)}{by}"
        words = {
            "cluster": f"the plan was made for cluster {self.before}, this is {self.after}",
            "uid": f"it has UID {self.after}, the plan was made for {self.before}",
            "gone": "it is gone",
            "appeared": "it was not there when the plan was made",
            "unreadable": f"it could not be read again: {self.after}",
        }
        return f"{what}: {words[self.reason]}{by}"


def stale_differences(plan: Plan, snapshot: Snapshot) -> tuple[Stale, ...]:
    """Return everything that makes *plan* stale on the cluster of *snapshot*; nothing when it still holds."""
    if plan.cluster.id != snapshot.cluster.id:
        return (Stale(reason="cluster", before=plan.cluster.id, after=snapshot.cluster.id),)
    found = [
        *(difference for ground in plan.grounds for difference in _of_ground(plan, ground, snapshot)),
        *(difference for members in plan.ground_sets for difference in _of_set(plan, members, snapshot)),
        *(difference for tenant in _with_steps(plan) for difference in _of_gateway(tenant, snapshot)),
    ]
    return tuple(found)


def added_subscriptions(plan: Plan, snapshot: Snapshot) -> tuple[ObjectRef, ...]:
    """Return the subscriptions that came since *plan* was made: no ground of it, but to be said."""
    known = {entry.uid for entry in plan.subscriptions.expected}
    covered = {tenant.namespace for tenant in plan.tenants} if plan.narrowed_to else None
    return tuple(
        thing.ref
        for thing in counted_subscriptions(snapshot)
        if thing.uid not in known and (covered is None or thing.namespace in covered)
    )


def _with_steps(plan: Plan) -> tuple[TenantAssessment, ...]:
    named = {step.tenant for step in plan.steps}
    return tuple(tenant for tenant in plan.tenants if tenant.name in named)


def _of_ground(plan: Plan, ground: Ground, snapshot: Snapshot) -> Iterator[Stale]:
    ref = ground.object
    live = snapshot.find_ref(ref)
    gap = snapshot.gap_for(ref.group, ref.kind, ref.namespace, ref.name)
    if live is None and gap is not None:
        yield Stale(object=ref, reason="unreadable", before=ground.uid, after=f"{gap.reason} {gap.message}".strip())
    elif live is None:
        if ground.uid:
            yield Stale(object=ref, reason="gone", before=ground.uid)
    elif not ground.uid:
        yield _signed(Stale(object=ref, reason="appeared", after=live.uid), live, ())
    elif live.uid != ground.uid:
        yield Stale(object=ref, reason="uid", before=ground.uid, after=live.uid)
    else:
        yield from _of_essence(plan, ground, live)


def _of_essence(plan: Plan, ground: Ground, live: KubeObject) -> Iterator[Stale]:
    ignore = ignored_paths(plan.volatile, ground.object)
    if fingerprint(live, ignore) != ground.essence:
        paths = {".".join(path): path for path, _ in walk(essence(live, ignore))}
        now = outline(live, ignore)
        for path in sorted(set(ground.outline) | set(now)):
            if ground.outline.get(path) != now.get(path):
                change = Stale(
                    object=ground.object,
                    path=path,
                    reason="changed",
                    before=ground.outline.get(path),
                    after=now.get(path),
                )
                yield _signed(change, live, paths.get(path, tuple(path.split("."))))
    yield from _not_as_foretold(plan, ground.object, live)


def _not_as_foretold(plan: Plan, ref: ObjectRef, live: KubeObject) -> Iterator[Stale]:
    """Yield an ``apiTranslation`` that is neither as it was nor as the controller was to write it."""
    for tenant in plan.tenants:
        translation = tenant.api_translation
        if tenant.config != ref or translation.written_by != "controller":
            continue
        path = ("spec", "apiTranslation", "enabled")
        value = live.get(*path)
        if value not in (translation.before, translation.after):
            change = Stale(object=ref, path=".".join(path), reason="changed", before=translation.before, after=value)
            yield _signed(change, live, path)


def _of_set(plan: Plan, members: GroundSet, snapshot: Snapshot) -> Iterator[Stale]:
    gap = snapshot.gap_for(members.group, members.kind)
    if gap is not None and snapshot.kind_info(members.group, members.kind) is not None:
        ref = ObjectRef(api_version=f"{members.group}/", kind=members.kind, name="(all)")
        yield Stale(object=ref, reason="unreadable", after=f"{gap.reason} {gap.message}".strip())
        return
    known = {(ground.object.namespace, ground.object.name): ground for ground in members.members}
    for ground in members.members:
        yield from _of_ground(plan, ground, snapshot)
    for live in snapshot.of_kind(members.group, members.kind):
        if (live.namespace, live.name) not in known:
            yield _signed(Stale(object=live.ref, reason="appeared", after=live.uid), live, ())


def _of_gateway(tenant: TenantAssessment, snapshot: Snapshot) -> Iterator[Stale]:
    """Yield a tenant whose Gateway is another one than the plan's."""
    config = snapshot.find_ref(tenant.config)
    if config is None:
        return  # The ground of the config has said so.
    named = gateways.aitenant_ref(config)
    legacy = snapshot.find(*resources.TENANT.key, tenant.namespace, resources.TENANT_CONFIG_NAME)
    controllers = (
        thing
        for thing in snapshot.of_kind(*resources.DEPLOYMENT.key)
        if thing.name == resources.MAAS_CONTROLLER_DEPLOYMENT
    )
    try:
        choice = gateways.gateway_of(
            config, snapshot.find_ref(named) if named else None, legacy, next(controllers, None)
        )
    except gateways.GatewayError as error:
        yield Stale(
            object=tenant.config, path="gateway", reason="changed", before=str(tenant.gateway), after=str(error)
        )
        return
    now, before = choice.gateway, tenant.gateway
    if before is not None and (now.namespace, now.name) != (before.namespace, before.name):
        yield Stale(object=tenant.config, path="gateway", reason="changed", before=str(before), after=str(now))


def _signed(change: Stale, live: KubeObject, path: tuple[str, ...]) -> Stale:
    """Return *change* with its author: the manager that owns the path, else the last writer of all."""
    entries = [entry for entry in live.managed_fields if path and _owns(entry.get("fieldsV1"), path)]
    entries = entries or list(live.managed_fields)
    if not entries:
        return change
    last = max(entries, key=lambda entry: str(entry.get("time", "")))
    return Stale(
        object=change.object,
        path=change.path,
        reason=change.reason,
        before=change.before,
        after=change.after,
        who=str(last.get("manager", "")),
        at=str(last.get("time", "")),
    )


def _owns(fields: Any, path: tuple[str, ...]) -> bool:
    for part in path:
        if not isinstance(fields, Mapping) or f"f:{part}" not in fields:
            return False
        fields = fields[f"f:{part}"]
        if not fields:
            return True  # An atomic field: what lies in it belongs to its owner.
    return True
