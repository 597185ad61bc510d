"""The whole way and back on a real kube-apiserver, kubectl changing things in between."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.builders.overlay import GONE_IN_36, NEW_IN_36, changes_of
from tests.e2e import cluster
from tests.e2e.stage import GO, SHARED, tenant
from tests.real.stage import Play, RealStage, real_stage
from tests.servers.locate import Programs

pytestmark = [pytest.mark.real, pytest.mark.slow]

FORCE = ("--accept", "force-custom-plugins-configmap=re-applied by CHG-1042")
LOSS = ("--accept", "unsupported-external-models=CHG-1043")
NO_TRANSLATION = ("--api-translation", "models-as-a-service=false")
WAYS: dict[str, tuple[tuple[str, ...], bool]] = {
    "default": ((), False),
    "response-translation": ((), False),
    "customised": (FORCE, True),
    "azure-model": ((*NO_TRANSLATION, *LOSS), False),
}


PUBLIC_CRDS = SHARED / "crds"
CASES = [(name, PUBLIC_CRDS.is_dir()) for name in WAYS] + ([("default", False)] if PUBLIC_CRDS.is_dir() else [])
"""Every example on the public CRDs where they are at hand, and the first on our own small ones."""


@pytest.fixture
def stage(request: pytest.FixtureRequest, programs: Programs, tmp_path: Path) -> Iterator[RealStage]:
    example, is_public = request.param
    before = (PUBLIC_CRDS,) if is_public else ()
    with real_stage(tmp_path, programs, Play(example=example), before) as found:
        yield found


@pytest.mark.parametrize(
    ("stage", "flags", "forced"),
    [
        pytest.param(
            (name, is_public),
            *WAYS[name],
            id=f"{name}-{'public' if is_public else 'own'}",
        )
        for name, is_public in CASES
    ],
    indirect=["stage"],
)
def test_the_whole_way_and_back(stage: RealStage, flags: tuple[str, ...], forced: bool) -> None:
    before = cluster.content(stage)
    plan = stage.plan(*flags)
    assert (tenant(plan)["decision"], tenant(plan)["force"]) == ("proceed", forced)
    assert stage.writes() == []

    waiting = stage.apply(plan["id"], wanted=20)
    assert (waiting["state"], waiting["reason"]) == ("waiting-for-upgrade", "WaitingForUpgrade")
    run = waiting["id"]

    stage.kubectl("label", "maassubscription", "-n", cluster.TENANT_NAMESPACE, "--all", "team=blue")
    kinds = _definitions(stage)
    stage.approve_upgrade()
    done = stage.cli("resume", *GO).document
    assert (done["state"], done["id"]) == ("succeeded", run)
    assert cluster.on_praxis(stage)
    assert cluster.FORCE not in cluster.annotations(stage)
    _have_only_grown(kinds, _definitions(stage))

    _nothing_more_is_written(stage, plan["id"], run)
    verified = stage.cli("verify", run).document
    assert (verified["passed"], verified["identity"]["short"], verified["identity"]["unexpected"]) == (True, 0, [])

    stage.cli("rollback", run, "--yes")
    stage.until("IPP is back", lambda: cluster.on_ipp(stage))
    _is_restored(before, cluster.content(stage))
    assert all(entry["verified"] for entry in stage.cli("backups", "verify", run).document["backups"])


def _nothing_more_is_written(stage: RealStage, plan: str, run: str) -> None:
    so_far = len(stage.told())
    again = stage.apply(plan)
    assert (again["state"], again["id"]) == ("succeeded", run)
    assert [line for line in stage.writes(so_far) if "/leases" not in line] == []


def _definitions(stage: RealStage) -> dict[str, Any]:
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    return {found["metadata"]["name"]: found["spec"] for found in stage.api.get(path)["items"]}


def _have_only_grown(before: dict[str, Any], after: dict[str, Any]) -> None:
    gone, new = zip(*(changes_of(before[name], after[name]) for name in before), strict=True)
    assert set().union(*gone) == GONE_IN_36
    assert set().union(*new) == NEW_IN_36


def _is_restored(before: dict[str, Any], after: dict[str, Any]) -> None:
    name = "configmaps openshift-ingress/payload-processing-plugins"
    assert after[name]["data"] == before[name]["data"]
    assert after[name]["metadata"]["annotations"] == before[name]["metadata"]["annotations"]
    assert after[name]["metadata"]["labels"] == before[name]["metadata"]["labels"]
