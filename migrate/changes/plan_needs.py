"""Which permissions a run needs: to plan, to apply, and to roll back; asked for before the first write."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from migrate.maas import resources
from migrate.maas.resources import Kind
from migrate.records.objects import ObjectRef, Query
from migrate.records.plan import (
    AccessNeed,
    BackUp,
    CheckAccess,
    DryRun,
    Gate,
    Plan,
    Restart,
    Restore,
    SetFields,
    Step,
    Wait,
)
from migrate.records.predicates import Predicate, refs_of
from migrate.records.snapshot import Snapshot

OPTIONAL: Final[frozenset[tuple[str, str]]] = frozenset(
    kind.key
    for kind in (
        resources.AUTHORINO,
        resources.CLUSTER_SERVICE_VERSION,
        resources.CLUSTER_VERSION,
        resources.INSTALL_PLAN,
        resources.KUADRANT,
        resources.LIMITADOR,
        resources.OLM_SUBSCRIPTION,
        resources.PERSES_DASHBOARD,
        resources.PERSES_DATASOURCE,
        resources.POD,
        resources.SERVICE_ENTRY,
        resources.TELEMETRY,
        resources.TELEMETRY_POLICY,
        resources.WASM_PLUGIN,
    )
)
"""Kinds without which less can be proved, and that is all."""

NAMED_AT_MOST: Final = 3
"""Up to so many objects of a kind and namespace are asked about by name."""

LOCK_NAMESPACE: Final = resources.DEFAULT_TENANT_NAMESPACE
"""Where our Lease lives unless ``--lock-namespace`` says otherwise. Source: contract §4.7."""


def needs_for(snapshot: Snapshot, steps: Iterable[Step]) -> tuple[AccessNeed, ...]:
    """
    Return what planning, running *steps* and rolling them back needs, sorted and without doubles.

    Args:
        snapshot: Its queries are what planning reads; its kinds give the plurals.

        steps: Of both parts, where there are two.
    """
    needs = [*_planning(snapshot), *_lock()]
    for step in steps:
        needs += _of_step(snapshot, step)
        needs += _of_rollback(snapshot, step)
    return tuple(sorted(_first_of_each(needs), key=_order))


def needs_of(plan: Plan) -> tuple[AccessNeed, ...]:
    """Return what *plan* asks the server about before its first write; empty for a plan without steps."""
    return next((step.needs for step in plan.steps if isinstance(step, CheckAccess)), ())


def _order(need: AccessNeed) -> tuple[str, str, str, str, str]:
    return need.group, need.resource, need.namespace, need.name, need.verb


def _first_of_each(needs: Iterable[AccessNeed]) -> Iterator[AccessNeed]:
    """Yield one need for each permission; a needed one wins over an optional one."""
    kept: dict[tuple[str, str, str, str, str], AccessNeed] = {}
    for need in needs:
        known = kept.get(_order(need))
        if known is None or (known.optional and not need.optional):
            kept[_order(need)] = need
    yield from kept.values()


def _planning(snapshot: Snapshot) -> Iterator[AccessNeed]:
    yield AccessNeed(verb="get", group="", resource="namespaces", name=resources.KUBE_SYSTEM, why="which cluster it is")
    for query in (*snapshot.answered, *(gap.query for gap in snapshot.gaps)):
        plural = _plural(snapshot, query.group, query.kind)
        if plural:
            yield _read(query, plural)


def _read(query: Query, plural: str) -> AccessNeed:
    return AccessNeed(
        verb="get" if query.name else "list",
        group=query.group,
        resource=plural,
        namespace=query.namespace,
        name=query.name,
        why="plan and verify",
        optional=(query.group, query.kind) in OPTIONAL,
    )


def _lock() -> Iterator[AccessNeed]:
    kind = resources.LEASE
    yield from (
        AccessNeed(
            verb=verb,
            group=kind.group,
            resource=kind.plural,
            namespace=LOCK_NAMESPACE,
            name="" if verb == "create" else resources.LOCK_NAME,
            why="one run at a time",
        )
        for verb in ("get", "create", "patch", "delete")
    )


def _of_step(snapshot: Snapshot, step: Step) -> Iterator[AccessNeed]:
    match step:
        case SetFields(object=ObjectRef() as ref):
            yield from _verbs(snapshot, ref, ("get", "patch"), step.id)
        case Wait():
            others = (*(failure.when for failure in step.fails), *(hint.when for hint in step.hints))
            yield from _watching(snapshot, (step.until, *others), step.id)
            yield from _reading(snapshot, refs_of(step.withdrawal.only_while) if step.withdrawal else (), step.id)
        case Gate():
            yield from _watching(snapshot, (step.open_when, *(hint.when for hint in step.hints)), step.id)
            yield from _reading(snapshot, refs_of(step.closed_while), step.id)
        case BackUp(items=items):
            yield from _reading(snapshot, (item.object for item in items), step.id)
        case Restore(object=ObjectRef() as ref):
            yield from _verbs(snapshot, ref, ("get", "patch", "create", "delete"), step.id)
        case Restart(object=ObjectRef() as ref):
            yield from _verbs(snapshot, ref, ("get", "patch"), step.id)
        case _:
            pass


def _of_rollback(snapshot: Snapshot, step: Step) -> Iterator[AccessNeed]:
    """Yield what the way back needs: the ConfigMap put back, also where it is immutable, and the restarts."""
    match step:
        case DryRun(restores=restores):
            for ref in restores:
                yield from _verbs(snapshot, ref, ("get", "patch", "create", "delete"), "rollback")
        case Wait(withdrawal=withdrawal) if withdrawal is not None:
            for ref in refs_of(withdrawal.only_while):
                if (ref.group, ref.kind) == resources.DEPLOYMENT.key:
                    yield from _verbs(snapshot, ref, ("get", "patch"), "rollback")
        case _:
            pass


def _watching(snapshot: Snapshot, predicates: Iterable[Predicate], step: str) -> Iterator[AccessNeed]:
    """Yield what watching needs: one object of a kind and namespace is watched by its name, several as a list."""
    refs = frozenset(ref for predicate in predicates for ref in refs_of(predicate))
    yield from _reading(snapshot, refs, step)
    for together in _by_place(refs):
        yield from _verbs(snapshot, together[0], ("list", "watch"), step, by_name=len(together) == 1)


def _reading(snapshot: Snapshot, refs: Iterable[ObjectRef], step: str) -> Iterator[AccessNeed]:
    """Yield what reading needs: by name where they are few, else for the namespace; each question costs a request."""
    for together in _by_place(refs):
        by_name = len(together) <= NAMED_AT_MOST
        for ref in together if by_name else together[:1]:
            yield from _verbs(snapshot, ref, ("get",), step, by_name=by_name)


def _by_place(refs: Iterable[ObjectRef]) -> Iterator[list[ObjectRef]]:
    for _, together in groupby(sorted(refs), key=lambda ref: (ref.api_version, ref.kind, ref.namespace)):
        yield list(together)


def _verbs(
    snapshot: Snapshot, ref: ObjectRef, verbs: tuple[str, ...], step: str, *, by_name: bool = True
) -> Iterator[AccessNeed]:
    plural = _plural(snapshot, ref.group, ref.kind)
    for verb in verbs if plural else ():
        yield AccessNeed(
            verb=verb,
            group=ref.group,
            resource=plural,
            namespace=ref.namespace,
            name=ref.name if by_name and verb != "create" else "",
            why="rollback" if step == "rollback" else f"step {step}",
        )


def _plural(snapshot: Snapshot, group: str, kind: str) -> str:
    info = snapshot.kind_info(group, kind)
    if info is not None:
        return info.plural
    return _PLURALS.get((group, kind), "")


_PLURALS: Final = {entry.key: entry.plural for entry in vars(resources).values() if isinstance(entry, Kind)}
