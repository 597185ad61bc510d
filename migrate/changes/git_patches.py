"""What a plan would write to objects that git declares: to be put there in place of a write that git takes back."""

from collections.abc import Iterable, Iterator

from migrate.records.assessment import Finding
from migrate.records.objects import ObjectRef
from migrate.records.plan import GitPatch, SetFields, Step

CODE = "GitOpsManaged"


def git_patches(findings: Iterable[Finding], steps: Iterable[Step], forecast: Iterable[Step]) -> tuple[GitPatch, ...]:
    """
    Return the patches for git, in the order of the steps.

    Args:
        findings: Those that name objects which a GitOps tool owns.

        steps: As if nothing stood in the way.

        forecast: The same of part two.
    """
    owned = {_key(finding.object) for finding in findings if finding.code == CODE and finding.object is not None}
    return (*_of(owned, steps, ""), *_of(owned, forecast, "after the operator upgrade"))


def _of(owned: set[tuple[str, str, str, str]], steps: Iterable[Step], when: str) -> Iterator[GitPatch]:
    for step in steps:
        if isinstance(step, SetFields) and step.object is not None and _key(step.object) in owned:
            yield GitPatch(object=step.object, step=step.id, when=when, patch=step.after)


def _key(ref: ObjectRef) -> tuple[str, str, str, str]:
    return ref.group, ref.kind, ref.namespace, ref.name
