"""What must hold at the end of a plan besides its waits, for those who verify by hand."""

from migrate.changes.plan_parts import ANNOTATIONS
from migrate.maas import annotations, resources
from migrate.records.plan import Plan
from migrate.records.predicates import AnyOf, FieldIs, Gone, Predicate


def hand_checks(plan: Plan) -> tuple[Predicate, ...]:
    """Return, for each subscription whose identity the plan fixed, that it has it or is gone; none on 3.5."""
    if plan.platform != "3.6":
        return ()
    expected = (entry for entry in plan.subscriptions.expected if entry.expected != "unknown")
    return tuple(_has_identity(entry.namespace, entry.name, entry.uid, entry.expected) for entry in expected)


def _has_identity(namespace: str, name: str, uid: str, identity: str) -> Predicate:
    ref = resources.MAAS_SUBSCRIPTION.ref(namespace, name)
    return AnyOf(
        of=(
            FieldIs(object=ref, path=("status", "rateLimitIdentity"), values=(identity,)),
            FieldIs(object=ref, path=(*ANNOTATIONS, annotations.RATE_LIMIT_IDENTITY), values=(identity,)),
            Gone(object=ref, uid=uid),
        )
    )
