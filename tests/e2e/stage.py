"""
One sandbox cluster in a process of its own, and the programs that a person would run against it.

Every call of ``maas-migrate`` is held to what all verbs promise: with ``-o json`` exactly one
document on stdout that fits its schema, the document's exit code is the process's, no escape
codes in a pipe, never a traceback.
"""

import json
import os
import select
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from jsonschema import Draft202012Validator

import migrate
from tests.e2e.api import Api, Json

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
SCHEMAS = Path(migrate.__file__).parent / "schemas"
CALL_S = 180
"""The longest that one call of a program may take before the test gives up."""
START_S = 90
UNTIL_S = 60.0
TICK_S = 0.25
WINDOW = ("--window", "now+90m")
GO = (*WINDOW, "--yes")
T = TypeVar("T")


def program(name: str) -> str:
    """Return the path of a program beside this Python, else from the path."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    assert found, f"{name} is neither beside this Python nor on the path"
    return found


@dataclass(frozen=True)
class Done:
    """How a call ended; *document* is None where none was asked for."""

    code: int
    out: str
    err: str
    document: Any = None


@dataclass(frozen=True)
class Options:
    """What cluster to serve; the speed is far above a person's, so that nobody waits for the players."""

    example: str = "default"
    controllers: str = "3.6"
    speed: int = 200
    build: str = ""
    objects: str = ""


class Stage:
    """
    A cluster, a state dir and a clean environment.

    Attributes:
        api: The server, asked directly.

        state: The state dir of ``maas-migrate``.
    """

    def __init__(self, place: Path, kubeconfig: Path) -> None:
        self.place = place
        self.kubeconfig = kubeconfig
        self.state = place / "state"
        self.api = Api(kubeconfig)
        self._once: dict[str, Any] = {}
        self._once_lock = threading.Lock()

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return what *make* gives, made once for all who share this cluster."""
        with self._once_lock:
            if name not in self._once:
                self._once[name] = make()
            found: T = self._once[name]
            return found

    def environment(self, **more: str) -> dict[str, str]:
        """Return an environment that reaches only this cluster."""
        return _environment(self.place) | {
            "KUBECONFIG": str(self.kubeconfig),
            "MAAS_MIGRATE_STATE_DIR": str(self.state),
            **more,
        }

    def start(self, *words: str, **environment: str) -> "subprocess.Popen[str]":
        """Start ``maas-migrate`` with ``-o json`` and return the process."""
        return subprocess.Popen(
            [program("maas-migrate"), *words, "-o", "json"],
            env=self.environment(**environment),
            cwd=self.place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, process: "subprocess.Popen[str]", wanted: int | None = 0, *, ran: bool = True) -> Done:
        """Wait for a process, and hold what it says to the promises; *ran* unless it only tells of a run."""
        try:
            out, err = process.communicate(timeout=CALL_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        done = Done(process.returncode, out, err)
        must_be_clean(done, wanted)
        return with_document(done, ran=ran)

    def cli(self, *words: str, wanted: int = 0, **environment: str) -> Done:
        """Run ``maas-migrate`` with ``-o json`` and expect the exit code *wanted*."""
        return self.finish(self.start(*words, **environment), wanted, ran=words[:1] != ("status",))

    def plain(self, *words: str, wanted: int = 0, **environment: str) -> Done:
        """Run ``maas-migrate`` as it is said, without asking for JSON."""
        call = [program("maas-migrate"), *words]
        env = self.environment(**environment)
        said = subprocess.run(
            call,
            env=env,
            cwd=self.place,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=CALL_S,
        )
        done = Done(said.returncode, said.stdout, said.stderr)
        must_be_clean(done, wanted)
        return done

    def kubectl(self, *words: str, said: str = "") -> str:
        """Run plain ``kubectl``, *said* on its stdin, and return its stdout."""
        call = [program("kubectl"), *words]
        done = subprocess.run(
            call, env=self.environment(), input=said, capture_output=True, text=True, check=False, timeout=CALL_S
        )
        assert done.returncode == 0, f"{' '.join(words)}: {done.stderr}"
        return done.stdout

    def plan(self, *words: str, wanted: int = 0) -> Json:
        """Make a plan and return its document."""
        document: Json = self.cli("plan", *words, wanted=wanted).document
        return document

    def apply(self, *plan: str, wanted: int = 0) -> Json:
        """Apply a plan and return the run's document."""
        document: Json = self.cli("apply", *plan, *GO, wanted=wanted).document
        return document

    def until(self, what: str, probe: Callable[[], T | None], within_s: float = UNTIL_S) -> T:
        """Return the first true answer of *probe*; fail when it gives none in time."""
        end = time.monotonic() + within_s
        pause = threading.Event()
        while True:
            answer = probe()
            if answer:
                return answer
            assert time.monotonic() < end, f"not within {within_s} s: {what}"
            pause.wait(TICK_S)

    def approve_upgrade(self) -> None:
        """Approve the operator's InstallPlan, as an admin would."""
        name = self.kubectl("get", "installplans", "-n", "redhat-ods-operator", "-o", "name").split()[0]
        patch = '{"spec":{"approved":true}}'
        self.kubectl("patch", name, "-n", "redhat-ods-operator", "--type", "merge", "-p", patch)

    def journal(self) -> list[Json]:
        """Return the events of the one run, none while there is no run; a torn last line is left out."""
        found: list[Json] = []
        for path in sorted(self.state.glob("*/journal.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
                found += [json.loads(line)] if line.endswith("\n") else []
        return found

    def run_id(self) -> str:
        """Return the id of the latest run."""
        return max(path.parent.name for path in self.state.glob("*/journal.jsonl"))

    def until_step(self, step: str, event: str = "step.started", within_s: float = UNTIL_S) -> None:
        """Wait until the journal tells *event* of *step*."""
        self.until(
            f"{event} of {step}",
            lambda: any(entry["event"] == event and entry.get("step", "") == step for entry in self.journal()),
            within_s,
        )


def _environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "PYTHONPATH") if name in os.environ}
    return {**kept, "HOME": str(home), "PYTHONWARNINGS": "default", "MAAS_MIGRATE_QPS": "0"}


def must_be_clean(done: Done, wanted: int | None) -> None:
    """Hold what every call promises: the exit code, no traceback, no escape codes in a pipe."""
    told = f"stdout: {done.out[-3000:]}\nstderr: {done.err[-3000:]}"
    assert "Traceback" not in done.out + done.err, told
    assert "\x1b" not in done.out + done.err, told
    if wanted is not None:
        assert done.code == wanted, f"expected {wanted}, got {done.code}\n{told}"


def with_document(done: Done, *, ran: bool) -> Done:
    """Return the call with its one document, held to its schema; *ran* for a verb whose own end the run's is."""
    try:
        document = json.loads(done.out)
    except json.JSONDecodeError as error:
        raise AssertionError(f"not exactly one document ({error}): {done.out[:2000]}\n{done.err}") from error
    name = str(document["format"]).removeprefix("maas-migrate/")
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    faults = [f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(document)]
    assert not faults, f"{name} does not fit its schema: {faults[:5]}"
    assert list(document)[:2] == ["format", "version"]
    if name == "error" or (name == "run" and ran):
        assert document["exitCode"] == done.code, f"the document says {document['exitCode']}, the process {done.code}"
    return Done(done.code, done.out, done.err, document)


@contextmanager
def opened(place: Path, options: Options) -> Iterator[Stage]:
    """Serve a sandbox while the block lasts; it must end with 0."""
    place.mkdir(parents=True, exist_ok=True)
    kubeconfig = place / "kubeconfig"
    words = ["sandbox", "--kubeconfig", str(kubeconfig), "--controllers", options.controllers]
    words += ["--speed", str(options.speed), "--build", options.build]
    words += ["--objects", options.objects] if options.objects else ["--example", options.example]
    with (place / "sandbox.log").open("w", encoding="utf-8") as log:
        serving = subprocess.Popen(
            [program("maas-migrate"), *words],
            env=_environment(place),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            _must_be_ready(serving, place)
            yield Stage(place, kubeconfig)
            serving.terminate()
            assert serving.wait(timeout=START_S) == 0, (place / "sandbox.log").read_text(encoding="utf-8")
        finally:
            serving.kill()
            serving.wait()
            if serving.stdout:
                serving.stdout.close()


def _must_be_ready(serving: "subprocess.Popen[str]", place: Path) -> None:
    assert serving.stdout
    readable, _, _ = select.select([serving.stdout], [], [], START_S)
    line = serving.stdout.readline() if readable else ""
    assert line, f"the sandbox did not start: {(place / 'sandbox.log').read_text(encoding='utf-8')}"
    assert json.loads(line)["event"] == "ready"


def codes(document: Json, impact: str = "") -> set[str]:
    """Return the codes of a document's findings, of one impact or of all."""
    return {finding["code"] for finding in document["findings"] if impact in {"", finding["impact"]}}


def tenant(document: Json, name: str = "models-as-a-service") -> Json:
    """Return what a plan says of one tenant."""
    found: Json = next(entry for entry in document["tenants"] if entry["name"] == name)
    return found


def step_of(run: Json, step: str) -> Json:
    """Return one step of a run's document, the latest of that id."""
    found: Sequence[Json] = [entry for entry in run["steps"] if entry["id"] == step]
    return found[-1]
