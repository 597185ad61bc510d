"""The way from the engine back to the whole cluster: collect again and judge."""

from collections.abc import Collection, Sequence

from migrate.changes.pod_troubles import pod_troubles
from migrate.changes.verify import verify as judge
from migrate.commands.context import Context
from migrate.errors import MigrateError
from migrate.records.objects import ObjectRef
from migrate.records.plan import Plan
from migrate.records.snapshot import Snapshot
from migrate.records.verification import Verification


class FreshEyes:
    """
    The engine's Surveyor: reads all again for each verdict.

    Attributes:
        snapshot: The last one taken, None before the first.
    """

    def __init__(self, context: Context, run_id: str) -> None:
        self._context = context
        self._run_id = run_id
        self.snapshot: Snapshot | None = None

    def verify(self, plan: Plan, tenants: Sequence[str]) -> Verification:
        """Return the verdict on *tenants* of *plan*, all of them when empty."""
        self.snapshot = self._context.live().collect()
        return judge(plan, self.snapshot, self._context.clock.now(), run=self._run_id, tenants=tuple(tenants))

    def ask_why(self, refs: Collection[ObjectRef]) -> tuple[str, ...]:
        """Return what holds up the Pods of the Deployments among *refs*; what cannot be read adds nothing."""
        try:
            return pod_troubles(self._context.live().collect(), refs)
        except MigrateError:
            return ()
