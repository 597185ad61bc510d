"""What an object says of its own health: conditions with their generation, available replicas."""

from typing import Literal

from migrate.changes.findings import finding
from migrate.records.assessment import Finding, Impact
from migrate.records.objects import KubeObject, get_in
from migrate.records.predicates import observed_generation

ConditionState = Literal["true", "false", "missing", "stale", "unreported"]


def condition_state(thing: KubeObject, condition_type: str) -> tuple[ConditionState, str]:
    """
    Return how far a condition can be believed, and what was seen.

    Its own observedGeneration decides when it is set and not 0, else ``status.observedGeneration``; where nobody
    reports one a True is ``unreported``: good only with other evidence. Source: case CH-27.
    """
    condition = thing.condition(condition_type)
    if condition is None:
        return "missing", f"there is no condition {condition_type}"
    words = " ".join(str(condition.get(key) or "") for key in ("status", "reason", "message")).strip()
    observed = observed_generation(thing, condition)
    if observed is not None and observed < thing.generation:
        return "stale", f"observedGeneration is {observed} of {thing.generation} ({words})"
    if condition.get("status") != "True":
        return "false", words or "it is not True"
    if observed is None and thing.generation > 0:
        return "unreported", f"{words}; no observedGeneration is reported for generation {thing.generation}"
    return "true", words


def assess_deployment(deployment: KubeObject, *, tenant: str = "", impact: Impact = "blocking") -> tuple[Finding, ...]:
    """Return nothing for a healthy Deployment; what matters is that one replica is available. Contract §7.2, 5."""
    wanted = deployment.get("spec", "replicas", default=1)
    available = get_in(deployment.raw, "status", "availableReplicas", default=0)
    wanted, available = (value if isinstance(value, int) else 0 for value in (wanted, available))
    if deployment.is_deleting:
        return (
            finding(
                "ObjectTerminating",
                f"{deployment.ref} is being deleted",
                resolution="Find out who deletes it, and wait until it is back.",
                about=deployment.ref,
                tenant=tenant,
            ),
        )
    if available < 1:
        return (
            finding(
                "DeploymentNotAvailable",
                f"{deployment.ref} has {available} of {wanted} replicas available",
                resolution="Look at its Pods and their events; mend it before the migration.",
                about=deployment.ref,
                tenant=tenant,
                path="status.availableReplicas",
                impact=impact,
            ),
        )
    if available < wanted:
        return (
            finding(
                "DeploymentDegraded",
                f"{deployment.ref} has {available} of {wanted} replicas available",
                resolution="Look at its Pods and their events.",
                about=deployment.ref,
                tenant=tenant,
                path="status.availableReplicas",
            ),
        )
    return ()
