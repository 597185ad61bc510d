"""
A real control plane with the played controllers beside it, and the programs a person would run against it.

The control plane ends with the block, whatever happens. Every object of a
failed test is gone with it; its logs and the audit log lie in the folder.
"""

import json
import select
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.e2e.stage import START_S, Stage, program
from tests.real.servers import ControlPlane, control_plane
from tests.servers.locate import Programs

SPEED: Final = "100"
TOOL: Final = "maas-migrate"
READS: Final = frozenset({"get", "list", "watch"})
REVIEWS: Final = frozenset({"selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"})


class RealStage(Stage):
    """
    A ``Stage`` on a real server.

    Attributes:
        plane: The control plane, to stop and start, and its audit log.

        players: The process of the played controllers, None before they play.
    """

    def __init__(self, place: Path, plane: ControlPlane) -> None:
        super().__init__(place, plane.write_kubeconfig(place / "kubeconfig"))
        self.plane = plane
        self.players: subprocess.Popen[str] | None = None

    @contextmanager
    def players_asleep(self) -> Iterator[None]:
        """Let the played controllers do nothing while the block lasts: a run that waits for them goes on waiting."""
        assert self.players
        self.players.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.players.send_signal(signal.SIGCONT)

    def told(self) -> list[dict[str, Any]]:
        """Return what the audit log holds of the tool's requests, oldest first."""
        return [entry for entry in self.plane.audit() if str(entry.get("userAgent", "")).startswith(TOOL)]

    def writes(self, since: int = 0) -> list[str]:
        """Return the tool's requests after the first *since* that change something, access reviews apart."""
        return [
            f"{entry['verb']} {entry['requestURI']}"
            for entry in self.told()[since:]
            if entry["verb"] not in READS and entry.get("objectRef", {}).get("resource") not in REVIEWS
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """What is played on a real server: an example or manifests, and whose controllers."""

    example: str = ""
    objects: str = ""
    controllers: str = "3.5"
    build: str = ""


@contextmanager
def real_stage(place: Path, programs: Programs, play: Play, before: Sequence[Path] = ()) -> Iterator[RealStage]:
    """Run a control plane, create what *before* names with kubectl, and play while the block lasts."""
    place.mkdir(parents=True, exist_ok=True)
    with control_plane(place / "plane", programs) as plane:
        stage = RealStage(place, plane)
        for path in before:
            stage.kubectl("apply", "--server-side", "-R", "-f", str(path))
        with _playing(stage, play):
            yield stage


@contextmanager
def _playing(stage: RealStage, play: Play) -> Iterator[None]:
    seeds = ["--objects", play.objects] if play.objects else ["--example", play.example]
    words = ["sandbox", *seeds, "--controllers", play.controllers, "--speed", SPEED, "--build", play.build]
    words += ["--api-server", str(stage.kubeconfig), "--kubeconfig", str(stage.kubeconfig)]
    with (stage.place / "players.log").open("w", encoding="utf-8") as log:
        players = subprocess.Popen(
            [program(TOOL), *words],
            env=stage.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            _must_be_ready(players, stage.place / "players.log")
            stage.players = players
            yield
            players.terminate()
            assert players.wait(timeout=START_S) == 0, (stage.place / "players.log").read_text(encoding="utf-8")
        finally:
            players.kill()
            players.wait()
            if players.stdout:
                players.stdout.close()


def _must_be_ready(players: "subprocess.Popen[str]", log: Path) -> None:
    assert players.stdout
    readable, _, _ = select.select([players.stdout], [], [], START_S)
    line = players.stdout.readline() if readable else ""
    assert line, f"the players did not settle: {log.read_text(encoding='utf-8')}"
    assert json.loads(line)["event"] == "ready"
