"""Every refusal before the first write: its exit code, its one document, and a cluster that stays as it was."""

import json

import pytest

from tests.e2e.api import Json
from tests.e2e.stage import GO, WINDOW, Stage, codes

pytestmark = [pytest.mark.slow, pytest.mark.scene]

YES = ("--yes",)
PAST = ("--window", "2020-01-01T00:00:00Z/2020-01-01T02:00:00Z")
SHORT = ("--window", "now+20m", "--cutoff", "15m")
NO_WINDOW = ("--window", "none")
TWICE = ("--window", "2026-10-25T02:30/2026-10-25T04:00", "--timezone", "Europe/Prague")
NEVER = ("--window", "2026-03-29T02:30/2026-03-29T04:00", "--timezone", "Europe/Prague")
WITHOUT_ZONE = ("--window", "2026-11-07T22:00/2026-11-08T02:00")


def _plan_id(stage: Stage) -> str:
    return stage.once("plan", lambda: str(stage.plan()["id"]))


def _refused(stage: Stage, *words: str, wanted: int, **environment: str) -> Json:
    """Run what is refused and return its document; no call on this cluster has written anything."""
    document: Json = stage.cli(*words, wanted=wanted, **environment).document
    assert stage.api.writes_of_the_tool() == []
    assert list(stage.state.glob("*/journal.jsonl")) == []
    return document


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        pytest.param(YES, 3, "BadInput", id="no-window"),
        pytest.param((*TWICE, *YES), 3, "BadInput", id="a-time-that-exists-twice"),
        pytest.param((*NEVER, *YES), 3, "BadInput", id="a-time-that-does-not-exist"),
        pytest.param((*WITHOUT_ZONE, *YES), 3, "BadInput", id="ch-25-a-time-without-zone"),
        pytest.param((*NO_WINDOW, *YES), 12, "RiskNotAccepted", id="none-without-acceptance"),
        pytest.param((*PAST, *YES), 15, "OutsideWindow", id="outside"),
        pytest.param((*SHORT, *YES), 15, "OutsideWindow", id="does-not-fit"),
        pytest.param(WINDOW, 16, "NotConfirmed", id="nobody-to-ask"),
        pytest.param((*WINDOW, "--no-input"), 16, "NotConfirmed", id="no-input"),
        pytest.param((*GO, "--accept", "sunshine=why"), 3, "BadInput", id="unknown-risk"),
        pytest.param((*GO, "--api-translation", "false"), 3, "BadInput", id="a-choice-that-belongs-to-plan"),
        pytest.param((*GO, "--nonsense"), 3, "BadInput", id="unknown-flag"),
    ],
)
def test_apply_refuses(stage: Stage, words: tuple[str, ...], code: int, reason: str) -> None:
    document = _refused(stage, "apply", _plan_id(stage), *words, wanted=code, TZ="America/New_York")

    assert (document["format"], document["reason"]) == ("maas-migrate/error", reason)
    assert document["message"]
    assert document["resolution"]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("resume", "20200101t000000z-abcdef", *GO), id="resume"),
        pytest.param(("rollback", "20200101t000000z-abcdef", "--yes"), id="rollback"),
        pytest.param(("status", "20200101t000000z-abcdef"), id="status"),
        pytest.param(("verify", "20200101t000000z-abcdef"), id="verify"),
        pytest.param(("apply", "no-such-plan", *GO), id="plan"),
        pytest.param(("plan", "--tenant", "nobody"), id="tenant"),
        pytest.param(("plan", "--runbook", "no-such-runbook"), id="runbook"),
        pytest.param(("check", "--context", "nowhere"), id="context"),
        pytest.param(("aply",), id="verb"),
    ],
)
def test_what_is_not_there_is_bad_input(stage: Stage, words: tuple[str, ...]) -> None:
    assert _refused(stage, *words, wanted=3)["reason"] == "BadInput"


def test_nothing_to_resume_is_done(stage: Stage) -> None:
    assert stage.cli("resume", *GO).document["format"].startswith("maas-migrate/")


def test_a_plan_edited_by_hand_is_bad_input(stage: Stage) -> None:
    edited = stage.place / "edited.json"
    edited.write_text(_text_of(stage, _plan_id(stage)).replace('"praxis"', '"praxis "', 1), encoding="utf-8")

    assert _refused(stage, "apply", str(edited), *GO, wanted=3)["reason"] == "BadInput"


def test_a_saved_plan_that_is_damaged_is_24(stage: Stage) -> None:
    other = str(stage.plan("--accept", "operator-upgrade=another id")["id"])
    saved = stage.state / "plans" / f"{other}.json"
    saved.write_text(_text_of(stage, other).replace('"praxis"', '"praxis "', 1), encoding="utf-8")

    assert _refused(stage, "apply", other, *GO, wanted=24)["reason"] == "StoreDamaged"


def _text_of(stage: Stage, plan: str) -> str:
    return (stage.state / "plans" / f"{plan}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("verb", ["check", "plan"])
def test_who_may_do_nothing_gets_4_and_the_document_with_what_was_refused(stage: Stage, verb: str) -> None:
    document = _refused(stage, verb, "--context", "user", wanted=4)

    assert document["format"] == f"maas-migrate/{verb}"
    refused = [finding for finding in document["findings"] if finding["unreadable"]]
    assert {finding["impact"] for finding in refused} == {"blocking"}
    assert refused


def test_a_plan_that_could_not_read_is_refused_by_apply_with_4(stage: Stage) -> None:
    document = _refused(stage, "apply", "--context", "user", *GO, wanted=4)

    assert document["reason"] == "NotAuthorised"


def test_a_server_that_does_not_answer_is_5(stage: Stage) -> None:
    elsewhere = stage.place / "elsewhere"
    config = stage.kubeconfig.read_text(encoding="utf-8")
    server = next(line for line in config.splitlines() if "server:" in line).split()[-1]
    elsewhere.write_text(config.replace(server, "https://127.0.0.1:9"), encoding="utf-8")

    document = _refused(stage, "check", "--kubeconfig", str(elsewhere), "--request-timeout", "5s", wanted=5)

    assert document["reason"] == "Unreachable"
    assert "127.0.0.1:9" in document["message"]


def test_a_plan_of_another_cluster_is_stale(stage: Stage) -> None:
    identity = json.loads(_text_of(stage, _plan_id(stage)))["cluster"]["id"]
    seen = stage.place / "seen.json"
    stage.cli("snapshot", "--out", str(seen))
    seen.write_text(seen.read_text(encoding="utf-8").replace(identity, "0" * len(identity)), encoding="utf-8")
    other = stage.plan("--snapshot", str(seen))

    document = _refused(stage, "apply", other["id"], *GO, wanted=13)

    assert document["reason"] == "PlanIsStale"


def test_plan_says_whether_there_are_changes_and_check_what_was_found(stage: Stage) -> None:
    assert stage.plan("--detailed-exitcode", wanted=10)["steps"]
    found = stage.cli("check", wanted=2).document
    assert (found["exitCode"], bool(codes(found, "advisory"))) == (2, True)


def test_apply_dry_runs_on_the_server_when_asked(stage: Stage) -> None:
    stage.cli("apply", _plan_id(stage), "--dry-run=server")

    dry = [entry for entry in stage.api.requests() if entry["dry_run"] and _is_ours(entry)]
    assert {(entry["verb"], entry["resource"]) for entry in dry} == {("patch", "maastenantconfigs")}


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        pytest.param(("check",), 2, id="check"),
        pytest.param(("plan",), 0, id="plan"),
        pytest.param(("verify",), 0, id="verify"),
        pytest.param(("runs",), 0, id="runs"),
        pytest.param(("status",), 0, id="status"),
        pytest.param(("runbook", "list"), 0, id="runbook"),
        pytest.param(("version",), 0, id="version"),
    ],
)
def test_every_form_of_output_is_for_a_pipe(stage: Stage, words: tuple[str, ...], wanted: int) -> None:
    for more in (("-o", "yaml"), ("-o", "name"), ("-v",)):
        done = stage.plain(*words, *more, wanted=wanted, TERM="xterm-256color")
        assert done.out or (more[-1] == "name" and words in {("runs",), ("status",)}), more
    quiet = stage.plain(*words, "-o", "wide", "-q", wanted=wanted, NO_COLOR="1")
    assert quiet.err == ""


def test_reading_verbs_send_no_write_and_ask_for_no_secret(stage: Stage) -> None:
    stage.cli("check", wanted=2)
    stage.cli("snapshot", "--out", "again.json")

    mine = [entry for entry in stage.api.requests() if _is_ours(entry) and not entry["dry_run"]]
    writing = {entry["resource"] for entry in mine if entry["verb"] not in {"get", "list", "watch"}}
    assert writing <= {"selfsubjectaccessreviews"}
    assert "secrets" not in {entry["resource"] for entry in mine}


def _is_ours(entry: Json) -> bool:
    return str(entry["user_agent"]).startswith("maas-migrate")
