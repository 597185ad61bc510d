"""The Prometheus usage dashboard: who has it, who would lose it. Source: contract §7.6."""

from collections.abc import Iterator

from migrate.changes.findings import finding
from migrate.changes.platform.reading import application_namespaces, found, listed, monitoring_namespaces
from migrate.maas import resources
from migrate.records.assessment import Finding
from migrate.records.objects import KubeObject
from migrate.records.snapshot import Snapshot

FIELD = ("spec", "usageMetricsDashboard")
"""Of Config; 3.6 only. Source: Upgrade to 3.6, "Legacy metrics usage dashboard is opt-in"."""


def assess(snapshot: Snapshot) -> tuple[Finding, ...]:
    """Return what becomes of each copy of the dashboard."""
    return (*_opt_in(snapshot), *_leftovers(snapshot))


def is_controllers_own(dashboard: KubeObject) -> bool:
    """Return whether the controller made, and would remove, this copy."""
    return any(
        owner.get("kind") == resources.CONFIG.kind
        and str(owner.get("apiVersion", "")).partition("/")[0] == resources.MAAS_GROUP
        for owner in dashboard.owners
    )


def _opt_in(snapshot: Snapshot) -> Iterator[Finding]:
    config = found(snapshot, resources.CONFIG, "", resources.CONFIG_NAME)
    if config is not None and config.get(*FIELD) is True:
        return
    spaces = monitoring_namespaces(snapshot)
    for dashboard in listed(snapshot, resources.PERSES_DASHBOARD):
        if dashboard.name != resources.USAGE_DASHBOARD or dashboard.namespace not in spaces:
            continue
        if is_controllers_own(dashboard):
            yield finding(
                "UsageDashboardOptIn",
                f"{dashboard.ref} is the controller's own: 3.6 removes it unless Config asks for it; usage itself is "
                "still recorded, and the logs-based dashboards are preferred",
                resolution="To keep it, after the upgrade: kubectl patch configs.maas.opendatahub.io default "
                """--type=merge -p '{"spec":{"usageMetricsDashboard":true}}'.""",
                about=dashboard.ref,
            )


def _leftovers(snapshot: Snapshot) -> Iterator[Finding]:
    spaces = set(application_namespaces(snapshot)) - set(monitoring_namespaces(snapshot))
    for dashboard in listed(snapshot, resources.PERSES_DASHBOARD):
        if (
            dashboard.name == resources.USAGE_DASHBOARD
            and dashboard.namespace in spaces
            and not is_controllers_own(dashboard)
        ):
            yield finding(
                "UsageDashboardLeftover",
                f"{dashboard.ref} is a copy from 3.4 that belongs to nobody: no upgrade removes it",
                resolution="Remove it by hand when nobody looks at it.",
                about=dashboard.ref,
            )
