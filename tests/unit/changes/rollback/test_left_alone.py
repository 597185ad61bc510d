"""A way back of what others did: it is left as it is, and said."""

from tests import builders as b
from tests.unit.changes.plan import stories as s
from tests.unit.changes.rollback.runs import Journal
from tests.unit.changes.rollback.test_rollback import T, a_run, codes, steady


def test_a_config_map_that_somebody_else_reset_is_left_and_its_backup_named() -> None:
    before = [*s.cluster("3.5"), b.a_plugins_config_map(processing=b.CUSTOM_TEXT)]
    run = Journal().begin(s.plan(before)).back_up(before).write(f"pin:{T}")

    plan = run.back(s.cluster("3.6"))

    assert plan.steps == ()
    assert "objects/backup/" in next(finding.message for finding in plan.findings if finding.code == "ConfigMapLeft")
    assert "ConfigMapLeft" not in codes(run.back(before))


def test_a_tenant_that_another_run_moved_meanwhile_is_left_and_said_to_be_on_praxis() -> None:
    before = s.cluster("3.5")
    run = Journal().begin(s.plan(before)).back_up(before).write(f"pin:{T}")

    plan = run.back(steady())

    assert plan.steps == ()
    assert "PraxisLeft" in codes(plan)
    assert "PraxisLeft" not in codes(run.back(s.cluster("3.6")))
    assert "PraxisLeft" not in codes(a_run().back(steady()))
