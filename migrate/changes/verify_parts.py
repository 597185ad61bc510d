"""What every check works with: the new reading, the plan's promises, and how a predicate becomes a verdict."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from migrate.changes.plan_parts import Tenant, Work, models_without_route
from migrate.changes.platform.tenants import TenantView, tenants_of
from migrate.records.assessment import Assessment, TenantAssessment
from migrate.records.objects import KubeObject, ObjectRef
from migrate.records.plan import Plan
from migrate.records.predicates import Predicate, describe, evaluate, refs_of
from migrate.records.snapshot import Snapshot
from migrate.records.verification import CheckResult, Result

Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Look:
    """
    One look at a cluster.

    Attributes:
        snapshot: What was read for it.

        plan: What was promised, None when the cluster is only to agree with itself.

        tenants: Those looked at, as they are now.

        scope: Namespaces whose subscriptions count, None for all.

        generation: The identity generation that the cluster speaks, ``V0`` to ``V5`` or ``unknown``.
    """

    snapshot: Snapshot
    plan: Plan | None
    tenants: tuple[Tenant, ...]
    scope: frozenset[str] | None
    generation: str

    @property
    def work(self) -> Work:
        """The same reading as the makers of steps take it."""
        empty = Assessment(taken_at=self.snapshot.taken_at, cluster=self.snapshot.cluster, platform="unknown")
        return Work(self.snapshot, empty, self.tenants, (), 1)

    def covers(self, namespace: str) -> bool:
        """Return whether the subscriptions of a namespace are looked at."""
        return self.scope is None or namespace in self.scope

    @cached_property
    def _known(self) -> frozenset[tuple[str, Key]]:
        findings = self.plan.findings if self.plan else ()
        return frozenset((finding.code, _key(finding.object)) for finding in findings if finding.object)

    def known_before(self, ref: ObjectRef, *codes: str) -> bool:
        """Return whether the plan found one of these of the object: then it was so before the run."""
        return any((code, _key(ref)) in self._known for code in codes)

    @cached_property
    def lost_models(self) -> frozenset[tuple[str, str]]:
        """The models whose loss was accepted, by namespace and name of their MaaSModelRef."""
        return frozenset(model for tenant in self.tenants for model in models_without_route(self.snapshot, tenant))

    def is_unread(self, ref: ObjectRef) -> bool:
        """Return whether nobody knows if the object is there."""
        if self.snapshot.find_ref(ref) is not None:
            return False
        if self.snapshot.kind_info(ref.group, ref.kind) is None and self.snapshot.kinds:
            return False
        return self.snapshot.gap_for(ref.group, ref.kind, ref.namespace, ref.name) is not None

    def judge(
        self, code: str, predicate: Predicate, *, tenant: str = "", thing: ObjectRef | None = None, before: bool = True
    ) -> CheckResult:
        """
        Return the verdict on *predicate*: what was not read is unknown, whatever the predicate says of it.

        Args:
            code: The check's.

            predicate: What must hold.

            tenant: Whose check it is.

            thing: The object it is about, the first one of the predicate when None.

            before: False when it did not hold at plan time either: a failure is then pre-existing.
        """
        refs = sorted(refs_of(predicate))
        unread = [ref for ref in refs if self.is_unread(ref)]
        outcome = evaluate(predicate, {ref: self.snapshot.find_ref(ref) for ref in refs})
        result: Result = "passed" if outcome.holds else "failed" if before else "pre-existing"
        expected = describe(predicate)
        observed = "; ".join(_short(line, expected) for line in outcome.missing) or "as expected"
        if unread:
            result, observed = "unknown", f"not read: {', '.join(map(str, unread))}"
        return CheckResult(
            code=code,
            object=thing or (refs[0] if refs else None),
            tenant=tenant,
            expected=expected,
            observed=observed,
            result=result,
        )


def _short(line: str, expected: str) -> str:
    """Return what was seen instead; what was expected is not said twice."""
    what, _, seen = line.partition("; seen: ")
    return seen if what == expected and seen else f"not so: {line}"


def _key(ref: ObjectRef) -> Key:
    return ref.group, ref.kind, ref.namespace, ref.name


def planned_tenants(plan: Plan, snapshot: Snapshot, names: Iterable[str]) -> tuple[Tenant, ...]:
    """Return the tenants of *plan* that got steps, as they are now; *names* narrows, none means all."""
    served = {step.tenant for step in (*plan.steps, *plan.forecast)} - {""}
    wanted = set(names) & served if names else served
    found = []
    for facts in plan.tenants:
        config = snapshot.find_ref(facts.config)
        if facts.name in wanted and facts.gateway is not None:
            gone = KubeObject(
                {"apiVersion": facts.config.api_version, "kind": facts.config.kind, "metadata": _meta(facts)}
            )
            found.append(Tenant(facts=facts, config=config or gone, gateway=facts.gateway))
    return tuple(found)


def _meta(facts: TenantAssessment) -> dict[str, str]:
    """Return the metadata of a config that is not there any more: its name, and the UID it had."""
    return {"namespace": facts.namespace, "name": facts.config.name, "uid": facts.config_uid}


def live_tenants(snapshot: Snapshot) -> tuple[Tenant, ...]:
    """Return every tenant of the cluster whose names and Gateway can be told."""
    return tuple(
        Tenant(facts=_facts(view), config=view.config, gateway=view.gateway)
        for view in tenants_of(snapshot)
        if view.tenant_id is not None and view.gateway is not None
    )


def _facts(view: TenantView) -> TenantAssessment:
    return TenantAssessment(
        name=view.name,
        namespace=view.namespace,
        tenant_id=view.tenant_id or "",
        config=view.config.ref,
        config_uid=view.config.uid,
        gateway=view.gateway,
        decision="nothing-to-do",
    )


def said(
    code: str, ref: ObjectRef | None, expected: str, observed: str, result: Result, tenant: str = ""
) -> CheckResult:
    """Return a check that no predicate tells."""
    return CheckResult(code=code, object=ref, tenant=tenant, expected=expected, observed=observed, result=result)


def counted(snapshot: Snapshot) -> dict[str, int]:
    """Return how many objects of each kind were looked at, by ``Kind.group``."""
    counts: dict[str, int] = {}
    for raw in snapshot.objects:
        thing = KubeObject(raw)
        name = f"{thing.kind}.{thing.group}" if thing.group else thing.kind
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items()))
