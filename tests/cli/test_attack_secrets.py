"""
Goal: no secret of a cluster shows where it does not belong, no hostile text acts, and nobody else is called.

Method: canaries and hostile strings are planted in every string of a cluster that could hold one. Every verb goes the
whole way there and back in this process, with all that can be logged, in all forms. What was said and what lies on
the disk is searched, and every connection that was opened and every program that was started is looked at.
"""

import io
import json
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from migrate.cli.logs import stop_logging
from migrate.cli.program import run_program
from tests.e2e.stage import Options, Stage, opened

pytestmark = pytest.mark.slow

SECRET, TEXT, VALUE, ARGUMENT = "canary-secret", "canary-text", "canary-value", "canary-argument"
APPLIED, REVIEWED = "canary-applied", "canary-reviewed"
CANARIES: Final = (SECRET, TEXT, VALUE, ARGUMENT, APPLIED, REVIEWED)
HOSTILE: Final = "<script>alert(1)</script>\x1b]0;owned\x07\x1b[2J\u202egnp.exe"
MARKS: Final = ("<script>alert", "\x1b", "\x07", "\u202e")
ACCEPT: Final = ("--accept", "force-custom-plugins-configmap=CHG-1")
TENANT: Final = "/apis/maas.opendatahub.io/v1alpha1/namespaces/models-as-a-service/maastenantconfigs/default-tenant"
PLUGINS: Final = "/api/v1/namespaces/openshift-ingress/configmaps/payload-processing-plugins"
DEPLOYMENTS: Final = "/apis/apps/v1/namespaces/{}/deployments"
LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"


@dataclass
class Watch:
    """What this process does to the outside, while it is watched."""

    on: bool = False
    reached: set[tuple[Any, ...]] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    started: list[str] = field(default_factory=list)

    def look(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event in {"socket.connect", "socket.sendto"}:
            self.reached.add(tuple(arguments[1][:2]) if isinstance(arguments[1], tuple) else (arguments[1],))
        elif event in {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}:
            self.asked.add(str(arguments[0]))
        elif event in {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "pty.spawn"}:
            self.started.append(f"{event} {arguments[0]!r}")


WATCH = Watch()
sys.addaudithook(WATCH.look)


@contextmanager
def watched() -> Iterator[None]:
    WATCH.on = True
    try:
        yield
    finally:
        WATCH.on = False


@dataclass
class Told:
    """
    Everything that was said and written, by where.

    Attributes:
        said: By the words of the call: what stood on the screen, both streams.

        files: By path below the state dir, and the log files.
    """

    said: dict[str, str] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)


def plant(stage: Stage) -> None:
    """Put a canary, and a hostile string where people's words stand, into all that could hold one."""
    api = stage.api
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "maas-db-config"}}
    namespace = "redhat-ai-gateway-infra"
    api.call("POST", f"/api/v1/namespaces/{namespace}/secrets", {**secret, "stringData": {"DB_CONNECTION_URL": SECRET}})
    for where in (namespace, "openshift-ingress"):
        for thing in api.get(DEPLOYMENTS.format(where))["items"]:
            container = dict(thing["spec"]["template"]["spec"]["containers"][0])
            container["env"] = [*container.get("env", []), {"name": "TOKEN", "value": VALUE}]
            container["args"] = [*container.get("args", []), f"--key={ARGUMENT}"]
            template = {"metadata": {"annotations": {LAST_APPLIED: APPLIED}}, "spec": {"containers": [container]}}
            path = f"{DEPLOYMENTS.format(where)}/{thing['metadata']['name']}"
            api.merge(path, {"spec": {"template": template}}, "kubectl")
    entry = f"plugins:\n- type: external-metering\n  name: {json.dumps(HOSTILE)}\n  parameters:\n    apiKey: {TEXT}\n"
    data = api.get(PLUGINS)["data"]
    api.merge(PLUGINS, {"data": {name: text.replace("plugins:\n", entry, 1) for name, text in data.items()}}, "kubectl")
    api.merge(PLUGINS, {"metadata": {"annotations": {LAST_APPLIED: APPLIED}}}, "kubectl")
    marks = {LAST_APPLIED: APPLIED, "example.com/words": HOSTILE}
    api.merge(TENANT, {"metadata": {"annotations": marks}}, "kubectl")
    subscriptions = api.get("/apis/maas.opendatahub.io/v1alpha1/maassubscriptions")["items"]
    for thing in subscriptions:
        path = "/apis/maas.opendatahub.io/v1alpha1/namespaces/{namespace}/maassubscriptions/{name}"
        words = {"openshift.io/display-name": HOSTILE, LAST_APPLIED: REVIEWED}
        api.merge(path.format(**thing["metadata"]), {"metadata": {"annotations": words}}, "kubectl")


def call(told: Told, log: Path, stage: Stage, *words: str) -> str:
    """Run the program here with all that it can log, and remember what it said."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    more = ["-vv", "--log-file", str(log), "--state-dir", str(stage.state), "--kubeconfig", str(stage.kubeconfig)]
    with redirect_stdout(out), redirect_stderr(err):
        code = run_program([*words, *more])
    stop_logging()
    for stream in (out, err):
        stream.flush()
    said = [stream.buffer.getvalue().decode() for stream in (out, err)]
    told.said[" ".join(words)], told.codes[" ".join(words)] = "\n".join(said), int(code)
    return said[0]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    place = tmp_path_factory.mktemp("secrets")
    found = Told()
    with opened(place / "stage", Options(example="customised", controllers="3.6")) as stage:
        plant(stage)
        log = place / "log.jsonl"

        def go(*words: str) -> str:
            return call(found, log, stage, *words)

        with watched():
            _there_and_back(go, place)
        go("rehearse", "--snapshot", str(place / "s.json"), *ACCEPT)
        go("rehearse", "--snapshot", str(place / "s.json"), *ACCEPT, "-o", "json")
        for path in (path for path in (*stage.state.rglob("*"), log, place / "p.json") if path.is_file()):
            found.files[str(path.relative_to(place))] = path.read_text(encoding="utf-8")
        yield found


def _there_and_back(go: Any, place: Path) -> None:
    for words in (["check"], ["check", "-o", "wide"], ["check", "-o", "json"], ["status"], ["rbac"], ["explain"]):
        go(*words)
    go("snapshot", "--out", str(place / "s.json"))
    for form in ("table", "wide", "json", "yaml", "kubectl"):
        go("plan", *ACCEPT, "-o", form)
    plan = go("plan", *ACCEPT, "--out", str(place / "p.json"), "-o", "name").strip()
    go("apply", plan, "--window", "now+90m", "--dry-run", "server")
    go("apply", plan, "--window", "now+90m", "--yes")
    run = go("runs", "-o", "name").strip()
    for verb in ("status", "verify", "report"):
        go(verb, run)
        go(verb, run, "-o", "json")
    go("report", run, "-o", "html")
    go("backups", "list", run)
    go("backups", "verify", run)
    go("rollback", run, "--yes")
    for form in ("markdown", "html", "json"):
        go("report", run, "-o", form)
    go("check", "--snapshot", str(place / "s.json"), "-o", "json")


def test_the_way_was_gone(told: Told) -> None:
    codes = {words: code for words, code in told.codes.items() if words.split()[0] in {"apply", "rollback", "rehearse"}}

    assert set(codes.values()) == {0}, {words: (code, told.said[words][-600:]) for words, code in codes.items() if code}
    assert len(told.said) > 25


@pytest.mark.parametrize("canary", CANARIES)
def test_no_secret_is_ever_said(told: Told, canary: str) -> None:
    assert [words for words, text in told.said.items() if canary in text] == []


@pytest.mark.parametrize("canary", CANARIES)
def test_no_secret_is_written_but_into_the_backup_of_its_object_and_the_snapshot(told: Told, canary: str) -> None:
    found = [Path(name) for name, text in told.files.items() if canary in text]
    own = {SECRET: "-", REVIEWED: "MaaSSubscription."}.get(canary, "ConfigMap." if canary == TEXT else "Deployment.")
    owners = (own, "ConfigMap.", "MaasTenantConfig.", "Deployment.") if canary == APPLIED else (own,)

    others = [path for path in found if not path.name.endswith("snapshot.json") and path.name != "snapshot.json"]

    assert [str(path) for path in others if not ("objects" in path.parts and path.name.startswith(owners))] == []


def test_the_canaries_were_there_to_be_found(told: Told) -> None:
    assert any(TEXT in text for name, text in told.files.items() if "ConfigMap." in name)
    assert any(APPLIED in text for name, text in told.files.items() if "objects" in name)


def test_no_hostile_text_acts_on_a_screen_or_in_a_page(told: Told) -> None:
    acting = {
        words: [mark for mark in MARKS if mark in text and not (mark == MARKS[0] and "html" not in words)]
        for words, text in told.said.items()
        if not words.endswith(("json", "yaml"))
    }

    assert {words: marks for words, marks in acting.items() if marks} == {}


def test_no_document_holds_a_raw_control_character(told: Told) -> None:
    raw = {
        words: sorted({f"{ord(sign):x}" for sign in text if unicodedata.category(sign) == "Cc" and sign not in "\n\t"})
        for words, text in {**told.said, **told.files}.items()
    }

    assert {words: signs for words, signs in raw.items() if signs} == {}


def test_nobody_but_the_api_server_is_called_and_no_program_is_started(told: Told) -> None:
    hosts = {address[0] for address in WATCH.reached}

    assert WATCH.started == []
    assert len(WATCH.reached) == 1, WATCH.reached
    assert hosts == {"127.0.0.1"}
    assert WATCH.asked <= {"127.0.0.1", "localhost"}
