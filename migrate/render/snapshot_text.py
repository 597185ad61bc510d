"""A snapshot in a few lines."""

from migrate.records.snapshot import Snapshot
from migrate.render.escape import escaped
from migrate.render.tables import table


def snapshot_text(snapshot: Snapshot, path: str) -> str:
    """Return what was read, how many of each kind, and what could not be read."""
    counts: dict[str, int] = {}
    for thing in snapshot.objects:
        kind = str(thing.get("kind", "?"))
        counts[kind] = counts.get(kind, 0) + 1
    rows = [(kind, counts[kind], snapshot.requests.get(kind, "-")) for kind in sorted(counts)]
    lines = [f"Snapshot of {escaped(snapshot.cluster.server)} at {snapshot.taken_at}, written to {path}", ""]
    lines.append(table(("KIND", "OBJECTS", "REQUESTS"), rows))
    lines += [f"gap: {escaped(gap.query)}: {gap.reason} {escaped(gap.message)}" for gap in snapshot.gaps]
    return "\n".join(lines).rstrip() + "\n"
