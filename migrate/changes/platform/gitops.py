"""Who else declares an object: Argo CD, Flux, Advanced Cluster Management."""

from migrate.changes.findings import GITOPS_MANAGED, finding
from migrate.maas import annotations
from migrate.records.assessment import Finding
from migrate.records.objects import KubeObject, ObjectRef, get_in

_ADVICE = {
    "Argo CD": "Make the change in Git, or pause the sync of this Application (and its self-heal), before the run",
    "Flux Kustomization": "Make the change in Git, or suspend it (flux suspend kustomization) before the run",
    "Flux HelmRelease": "Make the change in Git, or suspend it (flux suspend helmrelease) before the run",
}
_OTHERWISE = "Make the change where the object is declared, or pause what applies it, before the run"


def gitops_owner(thing: KubeObject) -> str:
    """
    Return which GitOps tool owns *thing* and by what mark, ``""`` for none.

    Marks are labels and annotations, field managers, and owners of the tools' API groups; a field manager is named
    beside another mark too, with what it holds of what a run writes.
    """
    managers = _managers(thing)
    owner = _by_marks(thing) or (managers[0][0] if managers else "") or _by_owner(thing)
    words = "; ".join(words for _, words in managers)
    return f"{owner}; {words}" if owner and words else owner


def _by_marks(thing: KubeObject) -> str:
    marks = {**thing.labels, **thing.annotations}
    for prefix, tool in annotations.GITOPS:
        for key in sorted(marks):
            if key.startswith(prefix):
                return f"{tool} ({key}: {_flux_name(thing, prefix) or marks[key]})"
    return ""


def _managers(thing: KubeObject) -> list[tuple[str, str]]:
    found = {}
    for entry in thing.managed_fields:
        manager = str(entry.get("manager", ""))
        tool = next((tool for prefix, tool in annotations.GITOPS_MANAGERS if manager.startswith(prefix)), "")
        if tool:
            holds = get_in(entry, "fieldsV1", "f:spec", "f:apiTranslation") is not None
            found[manager] = (tool, f"field manager {manager}{' holds spec.apiTranslation' if holds else ''}")
    return [found[manager] for manager in sorted(found)]


def _by_owner(thing: KubeObject) -> str:
    for group, tool in annotations.GITOPS_OWNER_GROUPS:
        for owner in thing.owners:
            if str(owner.get("apiVersion", "")).partition("/")[0] == group:
                return f"{tool} (owner {owner.get('kind')} {owner.get('name')})"
    return ""


def _flux_name(thing: KubeObject, prefix: str) -> str:
    name = thing.labels.get(f"{prefix}name", "")
    namespace = thing.labels.get(f"{prefix}namespace", "")
    return f"{namespace}/{name}" if name and namespace else ""


def assess_writes(things: tuple[KubeObject, ...], *, tenant: str = "", why: str) -> tuple[Finding, ...]:
    """Return a finding for each of *things*, which the run or its rollback writes, that a GitOps tool owns."""
    findings = []
    for thing in things:
        owner = gitops_owner(thing)
        if owner:
            findings.append(_finding(thing.ref, owner, tenant, why))
    return tuple(findings)


def _finding(about: ObjectRef, owner: str, tenant: str, why: str) -> Finding:
    advice = next((text for tool, text in _ADVICE.items() if owner.startswith(tool)), _OTHERWISE)
    return finding(
        "GitOpsManaged",
        f"{about} is managed by {owner}; {why}, and it may take that back at any moment",
        resolution=f"{advice} (plan prints what the run would write); or accept it: --accept {GITOPS_MANAGED}=REASON.",
        about=about,
        tenant=tenant,
        risk=GITOPS_MANAGED,
    )
