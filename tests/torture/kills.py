"""
Real kills: the installed program against a cluster in another process, ``kill -9`` at a random instant.

The cluster is the embedded server or a real kube-apiserver; the state dir lies on a tmpfs or on a disk. Forward and
back in turns on one cluster: after each kill the journal must be readable and no sealed backup lost, and the next call
must bring the run to its end. ``make torture-kills N=200``, ``make torture-kills N=200 TARGET=real``.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from migrate.errors import MigrateError
from migrate.store.run_directory import StateDirectory
from tests.real.stage import Play, real_stage
from tests.servers.locate import ABSENT, find

ACCEPT = ("--accept", "force-custom-plugins-configmap=it is re-applied later")
GO = ("--window", "none", "--accept", "no-maintenance-window=a rehearsal", "--yes")
LONGEST_S = 180.0
TRIES = 12


def program() -> str:
    """Return the installed program beside this Python."""
    found = shutil.which("maas-migrate", path=str(Path(sys.executable).parent)) or shutil.which("maas-migrate")
    assert found, "maas-migrate is not installed"
    return found


@dataclass(kw_only=True)
class Stage:
    """
    One cluster and one state dir.

    Attributes:
        kubeconfig: Of the cluster.

        calls: The words and the exit code of each call; -9 for a kill.

        killed: How many calls were killed.

        found: What was lost.
    """

    folder: Path
    kubeconfig: Path
    rng: random.Random
    calls: list[tuple[str, int]] = field(default_factory=list)
    killed: int = 0
    found: list[str] = field(default_factory=list)
    sealed: set[str] = field(default_factory=set)

    @property
    def state(self) -> StateDirectory:
        return StateDirectory(self.folder / "state")

    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "HOME") if name in os.environ}
        more = {"KUBECONFIG": str(self.kubeconfig), "MAAS_MIGRATE_STATE_DIR": str(self.folder / "state")}
        return {**kept, **more, "NO_COLOR": "1"}

    def call(self, *words: str, kill: bool) -> int:
        """Run one command; kill it at a random instant when *kill* says so and it has not ended by then."""
        process = subprocess.Popen(
            [program(), *words],
            env=self.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(timeout=self.rng.uniform(0.3, 9.0) if kill else LONGEST_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            self.killed += 1
        self.calls.append((words[0], process.returncode))
        self.look()
        return process.returncode

    def look(self) -> None:
        """Read every journal and every backup set; none may be damaged, and no sealed file may be gone."""
        for run_id in self.state.run_ids():
            run = self.state.open_run(run_id)
            try:
                run.state()
                files = {f"{run_id}/{entry.file}" for entry in run.backups().verify()}
            except MigrateError as error:
                self.found.append(f"after {self.calls[-1]}: {error.message}")
                continue
            lost = {name for name in self.sealed if name.startswith(f"{run_id}/")} - files
            if lost:
                self.found.append(f"after {self.calls[-1]}: sealed and lost: {sorted(lost)}")
            self.sealed |= files

    def last(self) -> tuple[str, str]:
        """Return the id and the state of the last run, empty when there is none."""
        known = self.state.run_ids()
        if not known:
            return "", ""
        return known[-1], str(self.state.open_run(known[-1]).state().state)

    def go(self, kills: int) -> None:
        """Go forward and back again, with up to *kills* kills on the way."""
        before, killed = self.plugins(), self.killed
        for _ in range(TRIES):
            run, state = self.last()
            if state == "succeeded":
                break
            words = ("resume", run) if run and state not in {"rolled-back", ""} else ("apply", *ACCEPT)
            code = self.call(*words, *GO, kill=self.killed - killed < kills)
            if code == 24 or (words[0] == "resume" and code == 0 and self.last()[1] == "running"):
                shutil.rmtree(self.folder / "state" / run)  # It never began; a person would plan anew.
        for _ in range(TRIES):
            run, state = self.last()
            if state == "rolled-back":
                break
            self.call("rollback", run, "--yes", kill=self.killed - killed < kills)
        if self.last()[1] != "rolled-back":
            self.found.append(f"no end: {self.last()}, {self.calls[-TRIES:]}")
        elif self.plugins() != before:
            self.found.append("the plugins ConfigMap is not as it was")

    def plugins(self) -> object:
        """Return what the plugins ConfigMap holds, asked with kubectl."""
        kubectl = shutil.which("kubectl", path=str(Path(sys.executable).parent)) or "kubectl"
        words = ["get", "configmap", "payload-processing-plugins", "-n", "openshift-ingress", "-o", "json"]
        done = subprocess.run([kubectl, *words], env=self.environment(), capture_output=True, check=True, timeout=60)
        return json.loads(done.stdout)["data"]


EXAMPLE: Final = "customised"


@contextmanager
def stage(seed: int, *, target: str = "embedded", disk: Path | None = None) -> Iterator[Stage]:
    """
    Serve a cluster on 3.6 while the block lasts.

    Args:
        seed: Of the instants at which is killed.

        target: ``embedded`` or ``real``.

        disk: Where the state dir is made: a tmpfs or a disk; None for where temporary files lie.
    """
    place = Path(tempfile.mkdtemp(prefix="kills-"))
    folder = Path(tempfile.mkdtemp(prefix="kills-state-", dir=disk))
    serving = _really(place) if target == "real" else _embedded(place)
    try:
        with serving as kubeconfig:
            yield Stage(folder=folder, kubeconfig=kubeconfig, rng=random.Random(seed))
    finally:
        for root in (place, folder):
            for at, _, _ in os.walk(root):
                Path(at).chmod(0o700)
            shutil.rmtree(root)


@contextmanager
def _embedded(place: Path) -> Iterator[Path]:
    kubeconfig = place / "kubeconfig"
    words = ["sandbox", "--example", EXAMPLE, "--controllers", "3.6", "--speed", "50", "--kubeconfig", str(kubeconfig)]
    serving = subprocess.Popen([program(), *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert serving.stdout is not None
        assert '"ready"' in serving.stdout.readline()
        yield kubeconfig
    finally:
        serving.terminate()
        serving.wait(timeout=30)


@contextmanager
def _really(place: Path) -> Iterator[Path]:
    programs = find()
    if programs is None:
        raise SystemExit(ABSENT)
    with real_stage(place, programs, Play(example=EXAMPLE, controllers="3.6")) as real:
        yield real.kubeconfig
