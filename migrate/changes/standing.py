"""What stands on the cluster after runs: accepted risks that still show."""

from migrate.maas import resources
from migrate.records.snapshot import Snapshot


def accepted_risks_that_show(snapshot: Snapshot) -> tuple[str, ...]:
    """Return one sentence for each tenant that is Degraded, and one for each kind that could not be read."""
    kind = resources.MAAS_TENANT_CONFIG
    found = []
    for config in snapshot.of_kind(kind.group, kind.kind):
        condition = config.condition("Degraded")
        if condition is not None and condition.get("status") == "True":
            found.append(f"{config.ref}: {condition.get('reason', '')}: {condition.get('message', '')}")
    gap = snapshot.gap_for(kind.group, kind.kind)
    if gap is not None:
        found.append(f"unknown: {kind.kind} could not be read ({gap.reason})")
    return tuple(found)
