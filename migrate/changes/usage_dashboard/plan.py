"""What the change of the usage dashboard asks of a run: a copy of what the upgrade removes."""

from migrate.maas import resources
from migrate.records.objects import KubeObject
from migrate.records.snapshot import Snapshot


def dashboards(snapshot: Snapshot) -> tuple[KubeObject, ...]:
    """Return every copy of the Prometheus usage dashboard; the upgrade removes the controller's own. Contract §7.6."""
    return tuple(
        board for board in snapshot.of_kind(*resources.PERSES_DASHBOARD.key) if board.name == resources.USAGE_DASHBOARD
    )
