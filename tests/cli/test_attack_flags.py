"""The flags that stand everywhere, before and after the verb, each with an effect."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.e2e.stage import Stage


@pytest.mark.parametrize("words", [("-q", "plan"), ("plan", "-q")], ids=["before", "after"])
def test_quiet_holds_before_and_after_the_verb(on: Call, words: tuple[str, ...]) -> None:
    assert "plan saved as" in on("plan").err

    assert on(*words).err == ""


@pytest.mark.parametrize("words", [("-v", "check"), ("check", "-v")], ids=["before", "after"])
def test_verbose_logs_which_cluster_was_read(on: Call, words: tuple[str, ...]) -> None:
    said = on(*words)

    assert "event=cluster.chosen" in said.err
    assert "event=cluster.read" in said.err
    assert "request.ended" not in said.err


def test_the_log_file_holds_every_request_as_json_and_nothing_reaches_the_screen(on: Call, tmp_path: Path) -> None:
    path = tmp_path / "log"

    said = on("check", "--log-file", str(path), "--log-format", "json")

    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    requests = [line for line in lines if line["event"] == "request.ended"]
    assert len(requests) > 10
    assert {line["method"] for line in requests} == {"GET"}
    assert said.err == ""
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_log_file_that_cannot_be_written_is_3_and_names_it(on: Call, tmp_path: Path) -> None:
    said = on("check", "--log-file", str(tmp_path / "none" / "log"), "-o", "json")

    assert (said.code, json.loads(said.out)["exitCode"]) == (3, 3)
    assert "none/log" in said.err


def test_the_flags_of_one_call_do_not_reach_the_next(on: Call, call: Call, tmp_path: Path) -> None:
    path = tmp_path / "log"
    on("check", "-q", "--log-file", str(path))
    size = path.stat().st_size

    assert "plan saved as" in on("plan").err
    assert path.stat().st_size == size
    assert call("nonsense").err.startswith("error: ")


def test_status_that_could_not_ask_says_so_and_is_no_0(on: Call, call: Call, stage: Stage, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.write_text(re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:1", stage.kubeconfig.read_text(encoding="utf-8")))

    refused, unreachable = on("status", "--context", "user"), call("status", "--kubeconfig", str(gone))

    assert (on("status").code, refused.code, unreachable.code) == (0, 4, 5)
    assert "unknown: Not permitted: get Lease" in refused.out
    assert unreachable.out.count("cannot be reached") == 2


@pytest.mark.parametrize(
    "words", [("plan",), ("check",), ("apply", "--window", "now+90m", "--yes"), ("apply", "--dry-run", "server")]
)
def test_who_may_read_nothing_is_told_how_to_get_the_least_role(on: Call, words: tuple[str, ...]) -> None:
    said = on(*words, "--as", "nobody")

    assert said.code == 4
    assert "maas-migrate rbac --for plan prints the least Roles" in said.out + said.err.partition("next: ")[2]


def test_a_lock_in_a_namespace_that_is_not_there_is_not_called_free(on: Call) -> None:
    status = on("status", "--lock-namespace", "nowhere", "-o", "json")
    unlock = on("unlock", "--lock-namespace", "nowhere", "-o", "json")

    lock = json.loads(status.out)["lock"]
    assert "kubectl get leases -A" in lock["message"]
    assert (status.code, lock["state"], "no namespace nowhere" in lock["message"]) == (3, "unknown", True)
    assert (unlock.code, json.loads(unlock.out)["reason"]) == (3, "BadInput")


@pytest.mark.parametrize(
    ("said", "code"), [("1.5s", 2), ("0", 2), ("10", 2), ("1m30s", 2), ("9000ms", 2), ("1x", 3), ("-1", 3)]
)
def test_the_request_timeout_is_written_as_for_kubectl(on: Call, said: str, code: int) -> None:
    assert on("check", "-o", "name", f"--request-timeout={said}").code == code


@pytest.mark.parametrize(
    ("said", "code"), [("50", 2), ("0", 2), ("0.5e3", 2), ("-1", 3), ("nan", 3), ("inf", 3), ("x", 3)]
)
def test_the_requests_a_second_are_a_number(on: Call, said: str, code: int) -> None:
    assert on("check", "-o", "name", f"--qps={said}").code == code


def test_the_version_flag_that_everybody_tries(call: Call) -> None:
    assert call("--version").out.startswith("maas-migrate ")
