"""
The least rules of access for a verb: needs of ``plan_needs`` written as Roles.

A need with a namespace goes into a Role of that namespace, one without into a ClusterRole. Where no cluster is at
hand, ``generic_needs`` names every kind that any plan may ask for, without namespaces and names.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal

import msgspec

from migrate.changes.plan_needs import LOCK_NAMESPACE, OPTIONAL
from migrate.changes.survey import CRDS, LISTED
from migrate.maas import resources
from migrate.maas.resources import Kind
from migrate.records.objects import Json, KubeObject, Record
from migrate.records.plan import AccessNeed
from migrate.records.snapshot import Snapshot

Verb = Literal["plan", "apply"]

RBAC: Final = "rbac.authorization.k8s.io"
WITHOUT_NAME: Final = frozenset({"create"})
"""Verbs that a rule cannot narrow to names: the server knows none yet. A list or watch of one name can be."""

READ_BY_NAME: Final = (
    resources.NAMESPACE,
    resources.CRD,
    resources.DEPLOYMENT,
    resources.CONFIG_MAP,
    resources.SERVICE,
    resources.SERVICE_ACCOUNT,
    resources.HPA,
    resources.NETWORK_POLICY,
    resources.ENVOY_FILTER,
    resources.DESTINATION_RULE,
    resources.CLUSTER_ROLE_BINDING,
    resources.PERSES_DASHBOARD,
)
"""Kinds that a survey asks for by name. Source: ``survey.queries``."""
READ_BY_LABEL: Final = (resources.POD, resources.CLUSTER_SERVICE_VERSION, resources.INSTALL_PLAN)
"""Kinds that a survey lists in a namespace. Source: ``survey.queries``."""
WATCHED: Final = (
    resources.MAAS_TENANT_CONFIG,
    resources.MAAS_SUBSCRIPTION,
    resources.DATA_SCIENCE_CLUSTER,
    resources.DSC_INITIALIZATION,
    resources.CRD,
    resources.DEPLOYMENT,
    resources.CONFIG_MAP,
    resources.ENVOY_FILTER,
    resources.TOKEN_RATE_LIMIT_POLICY,
    resources.AUTH_POLICY,
)
"""Kinds that a step waits on. Source: the predicates of waits and of the gate."""
BACKED_UP: Final = (resources.CONFIG, resources.AI_TENANT, resources.PERSES_DASHBOARD)
"""Kinds of which a copy is saved and on which no step waits."""


class Rule(Record, kw_only=True):
    """One rule of a Role: *names* empty means every object of the resources."""

    group: str
    resources: tuple[str, ...]
    verbs: tuple[str, ...]
    names: tuple[str, ...] = ()


class Subject(Record, kw_only=True):
    """Whom the bindings name."""

    kind: Literal["User", "Group", "ServiceAccount"]
    name: str
    namespace: str = ""


def generic_needs(verb: Verb) -> tuple[AccessNeed, ...]:
    """Return what *verb* may need on any cluster, in all namespaces."""
    needs = [*_generic_reads()]
    if verb == "apply":
        needs += _generic_writes()
    return tuple(needs)


def _generic_reads() -> Iterator[AccessNeed]:
    for kind, _ in LISTED:
        yield _need("list", kind)
    for kind in READ_BY_NAME:
        named = CRDS if kind is resources.CRD else ()
        yield from (_need("get", kind, name=crd.crd_name) for crd in named)
        yield from () if named else (_need("get", kind),)
    for kind in READ_BY_LABEL:
        yield _need("list", kind)


def _generic_writes() -> Iterator[AccessNeed]:
    for kind in WATCHED:
        yield from (_need(verb, kind) for verb in ("get", "list", "watch"))
    for kind in BACKED_UP:
        yield _need("get", kind)
    yield _need("patch", resources.MAAS_TENANT_CONFIG, name=resources.TENANT_CONFIG_NAME)
    for verb in ("patch", "create", "delete"):
        yield _need(verb, resources.CONFIG_MAP)
    yield _need("patch", resources.DEPLOYMENT)
    lease = resources.LEASE
    for verb in ("get", "create", "patch", "delete"):
        yield _need(verb, lease, LOCK_NAMESPACE, "" if verb == "create" else resources.LOCK_NAME)


def _need(verb: str, kind: Kind, namespace: str = "", name: str = "") -> AccessNeed:
    return AccessNeed(
        verb=verb,
        group=kind.group,
        resource=kind.plural,
        namespace=namespace,
        name=name,
        optional=kind.key in OPTIONAL,
    )


def reading_needs(needs: Iterable[AccessNeed]) -> tuple[AccessNeed, ...]:
    """Return those of *needs* that planning and verifying has: its reads."""
    return tuple(need for need in needs if need.verb in {"get", "list"} and need.why in _PLANNING)


_PLANNING: Final = frozenset({"plan and verify", "which cluster it is"})


def placed(needs: Iterable[AccessNeed], snapshot: Snapshot) -> tuple[AccessNeed, ...]:
    """
    Return *needs* where a Role can stand for each of them.

    What is asked in a namespace that is not known to exist is asked of the whole cluster: there is no place for a Role,
    and without the right the server would not say that nothing is there.
    """
    there = {KubeObject(raw).namespace for raw in snapshot.objects}
    there |= {namespace.name for namespace in snapshot.of_kind(*resources.NAMESPACE.key)}
    return tuple(need if need.namespace in there else msgspec.structs.replace(need, namespace="") for need in needs)


def rules_by_namespace(needs: Iterable[AccessNeed]) -> dict[str, tuple[Rule, ...]]:
    """Return the rules for each namespace, ``""`` for the whole cluster; what a wider rule grants is left out."""
    entries = {_entry(need) for need in needs}
    kept = [entry for entry in entries if not any(wide in entries for wide in _wider(entry))]
    return {
        namespace: _rules([entry for entry in kept if entry[0] == namespace])
        for namespace in sorted({entry[0] for entry in kept})
    }


_Entry = tuple[str, str, str, str, str]


def _entry(need: AccessNeed) -> _Entry:
    name = "" if need.verb in WITHOUT_NAME else need.name
    return need.namespace, need.group, need.resource, name, need.verb


def _wider(entry: _Entry) -> Iterator[_Entry]:
    """Yield each other entry that grants what *entry* does."""
    namespace, group, resource, name, verb = entry
    if namespace and name:
        yield ("", group, resource, name, verb)
    if namespace:
        yield ("", group, resource, "", verb)
    if name:
        yield (namespace, group, resource, "", verb)


def _rules(entries: Iterable[_Entry]) -> tuple[Rule, ...]:
    """Join entries: first the verbs of one resource and name, then names, then resources of one group."""
    verbs: dict[tuple[str, str, str], set[str]] = {}
    for _, group, resource, name, verb in entries:
        verbs.setdefault((group, resource, name), set()).add(verb)
    names: dict[tuple[str, str, tuple[str, ...], bool], set[str]] = {}
    for (group, resource, name), granted in verbs.items():
        names.setdefault((group, resource, tuple(sorted(granted)), bool(name)), set()).add(name)
    joined: dict[tuple[str, tuple[str, ...], tuple[str, ...]], set[str]] = {}
    for (group, resource, granted_verbs, _), of in names.items():
        joined.setdefault((group, granted_verbs, tuple(sorted(of - {""}))), set()).add(resource)
    rules = (
        Rule(group=group, resources=tuple(sorted(of)), verbs=granted, names=named)
        for (group, granted, named), of in joined.items()
    )
    return tuple(sorted(rules, key=lambda rule: (rule.group, rule.resources, rule.names, rule.verbs)))


def manifests_of(verb: Verb, needs: Iterable[AccessNeed], subject: Subject) -> tuple[Json, ...]:
    """Return a Role, or the ClusterRole, for each place, and the binding of each to *subject*."""
    name = f"maas-migrate-{verb}"
    made: list[Json] = []
    for namespace, rules in rules_by_namespace(needs).items():
        kind = "Role" if namespace else "ClusterRole"
        metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
        about = {"apiVersion": f"{RBAC}/v1", "metadata": metadata}
        made.append({**about, "kind": kind, "rules": [_manifest_of(rule) for rule in rules]})
        made.append(
            {
                **about,
                "kind": f"{kind}Binding",
                "roleRef": {"apiGroup": RBAC, "kind": kind, "name": name},
                "subjects": [_manifest_of_subject(subject)],
            }
        )
    return tuple(made)


def _manifest_of(rule: Rule) -> Json:
    named = {"resourceNames": list(rule.names)} if rule.names else {}
    return {"apiGroups": [rule.group], "resources": list(rule.resources), **named, "verbs": list(rule.verbs)}


def _manifest_of_subject(subject: Subject) -> Json:
    if subject.kind == "ServiceAccount":
        return {"kind": subject.kind, "name": subject.name, "namespace": subject.namespace}
    return {"apiGroup": RBAC, "kind": subject.kind, "name": subject.name}


def grants(manifests: Iterable[Json], need: AccessNeed) -> bool:
    """Return whether the Roles among *manifests* permit *need*, as the server would judge it."""
    for manifest in manifests:
        namespace = manifest["metadata"].get("namespace", "")
        if manifest["kind"] not in {"Role", "ClusterRole"} or namespace not in {"", need.namespace}:
            continue
        for rule in manifest["rules"]:
            if (
                need.group in rule["apiGroups"]
                and need.resource in rule["resources"]
                and need.verb in rule["verbs"]
                and ("resourceNames" not in rule or need.name in rule["resourceNames"])
            ):
                return True
    return False
