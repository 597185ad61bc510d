"""Is the Prometheus usage dashboard there exactly where somebody asked for it?"""

from collections.abc import Iterator

from migrate.changes.usage_dashboard.plan import dashboards
from migrate.changes.verify_parts import Look, said
from migrate.maas import resources, versions
from migrate.records.objects import KubeObject
from migrate.records.verification import CheckResult


def check_dashboard(look: Look) -> Iterator[CheckResult]:
    """Yield that the controller's copy is there if, and only if, Config asks for it. Source: contract §7.6."""
    config = look.work.found(resources.CONFIG, "", resources.CONFIG_NAME)
    if config is None or look.generation == "V0":
        return
    wanted = config.get("spec", versions.USAGE_DASHBOARD_FIELD) is True
    owned = [board for board in dashboards(look.snapshot) if _is_owned(board)]
    expected = "a copy of the controller's" if wanted else "no copy of the controller's"
    observed = ", ".join(str(board.ref) for board in owned) or "none"
    if not wanted or owned or _was_read(look):
        fits = bool(owned) == wanted
        yield said("UsageDashboard", config.ref, expected, observed, "passed" if fits else "failed")
    else:
        yield said("UsageDashboard", config.ref, expected, "dashboards were not read", "unknown")


def _is_owned(board: KubeObject) -> bool:
    return any(owner.get("kind") == resources.CONFIG.kind and owner.get("controller") for owner in board.owners)


def _was_read(look: Look) -> bool:
    group, kind = resources.PERSES_DASHBOARD.key
    return any((query.group, query.kind) == (group, kind) for query in look.snapshot.answered)
