"""What the store is filled with in its tests."""

from migrate.records.snapshot import ClusterIdentity, Snapshot


def a_snapshot() -> Snapshot:
    thing = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b", "namespace": "a"}, "data": {"k": "é\n"}}
    return Snapshot(
        taken_at="2026-11-30T12:00:00Z", cluster=ClusterIdentity(server="https://example.com"), objects=(thing,)
    )
