"""
What ``rehearse`` foretells is what happens: every example, on 3.5 and on 3.6.

Each is rehearsed from a snapshot of its cluster, then the run is made on that cluster, and ``verify
--against-rehearsal`` compares the two. Both are played in this process and on virtual time.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from migrate.commands.context import Context
from migrate.commands.documents import RehearsalDocument
from migrate.commands.rehearse import Playground, RehearseFlags, rehearse
from migrate.commands.rehearsed import CODE, LATEST, compare_with_rehearsal
from migrate.commands.verify import verify
from migrate.maas.annotations import PAYLOAD_PROCESSING_TYPE
from migrate.records.objects import Json, get_in
from migrate.records.verification import CheckResult, Verification
from migrate.sandbox.controllers.approval import Approver
from migrate.sandbox.examples import EXAMPLES as SHIPPED
from migrate.sandbox.run import SandboxOptions, seeds_of
from migrate.store.run_directory import StateDirectory
from tests.e2e.rig import Ground, Rig, Scene, a_rig, settled
from tests.torture.world import settle

pytestmark = pytest.mark.slow

FORCE = "force-custom-plugins-configmap=re-applied by CHG-1042"
LOSS = "unsupported-external-models=CHG-1043"
GITOPS = "gitops-managed-object=synchronisation is paused, CHG-1044"
DEFAULT, RESEARCH = "models-as-a-service", "research"
PLUGINS = "/api/v1/namespaces/openshift-ingress/configmaps/payload-processing-plugins"


@dataclass(frozen=True, kw_only=True)
class Told:
    """
    What is said to plan, rehearse and apply.

    Attributes:
        refused: How all three end when nothing is said.

        goes_on: The versions on which the run is made after that; the tenants that cannot go are the same on both.
    """

    refused: int = 0
    tenants: tuple[str, ...] = ()
    accept: tuple[str, ...] = ()
    translation: tuple[str, ...] = ()
    subscriptions: int | None = None
    goes_on: tuple[str, ...] = ("3.5", "3.6")


EXAMPLES = {
    "default": Told(),
    "response-translation": Told(),
    "customised": Told(refused=12, accept=(FORCE,)),
    "azure-model": Told(refused=11, accept=(LOSS,), translation=("false",)),
    "multi-tenant": Told(refused=12, tenants=(DEFAULT, RESEARCH), accept=(FORCE,)),
    "mixed-generations": Told(),
    "gitops": Told(refused=12, accept=(FORCE, GITOPS)),
    "half-migrated": Told(refused=11, tenants=(DEFAULT,), goes_on=("3.6",)),
    "large": Told(subscriptions=12),
}


class Rehearsals:
    """Rehearsals for the cluster of a rig; while nothing was written to it they share one settled copy."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._copy: Ground | None = None

    def rehearse(self) -> RehearsalDocument:
        return self._rig.looked(lambda context: rehearse(context, self._rig.flags, RehearseFlags(), self._opened)[0])

    @contextmanager
    def _opened(self, options: SandboxOptions, state: Path) -> Iterator[Playground]:
        scene = Scene(example=options.example, version=options.controllers, build=options.build)
        self._copy = self._copy or settled(seeds_of(options), scene)
        with a_rig(scene.example, scene.build, scene.version, ground=self._copy) as rig:
            yield Playground(
                context=replace(rig.context(), state=lambda: StateDirectory(rig.root / state.name)),
                settle=lambda: settle(rig.time, rig.players),
                approve=lambda: rig.players.troupe.add(Approver(rig.players, 0.0)),
            )

    def compare(self) -> Verification:
        run = self._rig.runs()[-1].id

        def act(context: Context) -> Verification:
            return compare_with_rehearsal(context, run, LATEST, *verify(context, run, ""))[0]

        return self._rig.looked(act)


def differences(verdict: Verification) -> list[tuple[str, str]]:
    return [(check.expected, check.observed) for check in as_rehearsed(verdict) if check.result != "passed"]


def as_rehearsed(verdict: Verification) -> list[CheckResult]:
    return [check for check in verdict.checks if check.code == CODE]


@pytest.mark.parametrize("version", ["3.5", "3.6"])
@pytest.mark.parametrize("example", EXAMPLES)
def test_the_prediction_for_every_example_is_what_the_run_does(example: str, version: str) -> None:
    told = EXAMPLES[example]
    with a_rig(example, version=version, subscriptions=told.subscriptions) as rig:
        rehearsals = Rehearsals(rig)
        if told.refused:
            refused = rehearsals.rehearse()
            assert (refused.exit_code, refused.outcome, rig.go().code) == (told.refused, "", told.refused)
        if version not in told.goes_on:
            return
        rig.say(*told.tenants, accept=told.accept, translation=told.translation)
        foretold = rehearsals.rehearse()

        done = rig.go()
        verdict = rehearsals.compare()

        assert (foretold.outcome, foretold.verified, foretold.unexpected) == ("succeeded", True, ())
        assert (done.code, differences(verdict), verdict.passed) == (0, [], True)
        assert len(as_rehearsed(verdict)) == len(foretold.steps) + len(foretold.tenants) + 1
        if version == "3.6":
            assert rig.back().code == 0
            assert foretold.rolled_back == rig.runs()[-1].state == "rolled-back"


def test_every_example_is_rehearsed() -> None:
    assert set(EXAMPLES) == set(SHIPPED)


def test_a_run_that_goes_otherwise_is_told_by_its_step() -> None:
    """Somebody changes the ConfigMap between the last look and the flip: the gate refuses what was to go through."""
    with a_rig("default") as rig:
        rehearsals = Rehearsals(rig)
        rehearsals.rehearse()

        def spoil(method: str, path: str, body: Json) -> None:
            if method == "PATCH" and get_in(body, "metadata", "annotations", PAYLOAD_PROCESSING_TYPE) == "praxis":
                rig.as_somebody("PATCH", PLUGINS, {"data": {"custom-ipp-config.yaml": "kind: PayloadProcessorConfig"}})

        rig.before_write.append(spoil)
        assert rig.go().code == 21

        verdict = rehearsals.compare()

        told = dict(differences(verdict))
        assert told[f"step praxis:{DEFAULT} succeeded"] == "failed"
        assert told[f"step flip:{DEFAULT} succeeded"] == "withdrawn"
        assert told["verified"] == "not verified"
        assert not verdict.passed


def test_a_step_that_takes_longer_than_its_estimate_is_named_and_is_no_failure() -> None:
    """Times are no check: the played controllers are faster than any cluster's."""
    with a_rig("default") as rig:
        rehearsals = Rehearsals(rig)
        rehearsals.rehearse()
        troupe = rig.players.troupe
        slow = next(player for player in troupe.players if player.name.startswith("ai-gateway-controller"))
        troupe.remove(slow.name)
        rig.time.after(300.0, lambda: troupe.add(slow))
        assert rig.go().code == 0

        verdict = rehearsals.compare()

        assert verdict.passed
        assert re.search(rf"praxis:{DEFAULT} took \d+ s, estimate 240 s", verdict.not_proved[-1])
