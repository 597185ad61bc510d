"""``rehearse``: what happened on the sandbox is what happens on the cluster, and a difference is seen."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.stage import GO, Options, Stage, opened

pytestmark = pytest.mark.slow

ACCEPTED = ("--accept", "force-custom-plugins-configmap=CHG-1")


def outcomes(document: dict[str, Any]) -> dict[str, str]:
    return {step["id"]: step["outcome"] for step in document["steps"]}


def as_rehearsed(verification: dict[str, Any]) -> list[dict[str, Any]]:
    return [check for check in verification["checks"] if check["code"] == "AsRehearsed"]


def the_whole_run(stage: Stage) -> str:
    run: str = stage.apply(*ACCEPTED, wanted=20)["id"]
    stage.approve_upgrade()
    stage.cli("resume", *GO)
    return run


def test_the_prediction_from_a_snapshot_of_the_cluster_is_what_the_run_does(tmp_path: Path) -> None:
    with opened(tmp_path, Options(example="customised", controllers="3.5")) as stage:
        stage.cli("snapshot", "--out", "mine.json")
        refused = stage.cli("rehearse", "--snapshot", "mine.json", wanted=12).document
        foretold = stage.cli("rehearse", "--snapshot", "mine.json", *ACCEPTED).document
        writes = stage.api.writes_of_the_tool()

        run = the_whole_run(stage)
        verification = stage.cli("verify", run, "--against-rehearsal").document

        assert (refused["outcome"], {step["outcome"] for step in refused["steps"]}) == ("", set())
        assert writes == []
        assert (foretold["outcome"], foretold["rolledBack"], foretold["verified"]) == ("succeeded", "rolled-back", True)
        assert foretold["cluster"]["id"] == json.loads((tmp_path / "mine.json").read_text())["cluster"]["id"]
        assert outcomes(foretold)["flip:models-as-a-service"] == "succeeded"
        assert foretold["assumptions"]
        assert {check["result"] for check in as_rehearsed(verification)} == {"passed"}
        assert len(as_rehearsed(verification)) == len(foretold["steps"]) + len(foretold["tenants"]) + 1

        # A rehearsal of another story is another prediction.
        path = stage.state / "rehearsals" / f"{foretold['id']}.json"
        other = json.loads(path.read_text(encoding="utf-8"))
        other["id"] = "20991231t000000z-zzzzzz"
        other["tenants"][0]["force"] = False
        other["steps"][0]["outcome"] = "skipped"
        path.with_name(f"{other['id']}.json").write_text(json.dumps(other), encoding="utf-8")
        differs = stage.cli("verify", run, "--against-rehearsal", wanted=1).document
        named = stage.cli("verify", run, "--against-rehearsal", foretold["id"]).document

        failed = [check["expected"] for check in as_rehearsed(differs) if check["result"] == "failed"]
        assert [text.split(",")[0] for text in failed] == ["step access skipped", "decision=proceed"]
        assert named["passed"]
        assert [entry["id"] for entry in stage.cli("runs").document["runs"]] == [run]


@pytest.mark.parametrize(
    ("words", "code", "outcome"),
    [
        pytest.param(["customised", "--controllers", "3.6"], 12, "", id="not accepted"),
        pytest.param(["azure-model", "--controllers", "3.6"], 11, "", id="blocked"),
        pytest.param(
            ["default", "--controllers", "3.6", "--build", "identity=V4"], 0, "succeeded", id="an older identity"
        ),
    ],
)
def test_an_example_needs_no_cluster(tmp_path: Path, words: list[str], code: int, outcome: str) -> None:
    stage = Stage.__new__(Stage)
    stage.place, stage.kubeconfig, stage.state = tmp_path, tmp_path / "none", tmp_path / "state"

    document = stage.cli("rehearse", "--example", *words, wanted=code).document

    assert (document["outcome"], document["exitCode"]) == (outcome, code)
    assert (document["verified"], document["rolledBack"]) == ((True, "rolled-back") if outcome else (None, ""))
