"""A person who holds what ``rbac`` prints, and nothing else, can do the whole job."""

from pathlib import Path

import pytest
import yaml

from tests.e2e.cluster import on_ipp, on_praxis
from tests.e2e.stage import Options, opened

pytestmark = pytest.mark.slow


def test_the_roles_that_rbac_prints_are_enough_to_plan_apply_verify_and_roll_back(tmp_path: Path) -> None:
    with opened(tmp_path, Options(example="customised", controllers="3.6")) as stage:
        printed = stage.plain("rbac", "--to", "user:user").out
        stage.kubectl("apply", "-f", "-", said=printed)
        kubeconfig = yaml.safe_load(stage.kubeconfig.read_text(encoding="utf-8"))
        kubeconfig["current-context"] = "user"
        stage.kubeconfig.write_text(yaml.safe_dump(kubeconfig), encoding="utf-8")

        plan = stage.plan("--accept", "force-custom-plugins-configmap=CHG-1")
        run = stage.apply(plan["id"])
        moved = on_praxis(stage)
        stage.cli("verify", run["id"])
        stage.cli("rollback", run["id"], "--yes")

        assert moved
        assert on_ipp(stage)
        assert not any(note.startswith("less can be proved") for note in run["notes"])
