"""What stands on the cluster after runs: accepted risks that still show."""

from collections.abc import Iterator

from migrate.maas import resources
from migrate.records.objects import KubeObject
from migrate.records.predicates import one_line
from migrate.records.snapshot import Snapshot


def recorded_risk(config: KubeObject) -> Iterator[str]:
    """Yield what a MaasTenantConfig is Degraded for; type and status alone count, the reason is any. §4.8."""
    condition = config.condition("Degraded")
    if condition is not None and condition.get("status") == "True":
        yield f"{config.ref}: {condition.get('reason', '')}: {one_line(condition.get('message', ''))}"


def accepted_risks_that_show(snapshot: Snapshot) -> tuple[str, ...]:
    """Return one sentence for each tenant that is Degraded, and one for each kind that could not be read."""
    kind = resources.MAAS_TENANT_CONFIG
    found = [text for config in snapshot.of_kind(kind.group, kind.kind) for text in recorded_risk(config)]
    gap = snapshot.gap_for(kind.group, kind.kind)
    if gap is not None:
        found.append(f"unknown: {kind.kind} could not be read ({gap.reason})")
    return tuple(found)
