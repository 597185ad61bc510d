"""``rehearse``: the whole job on a sandbox that is seeded like the cluster, and what that foretells."""

import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, cast

import msgspec

from migrate.changes.assess import assess
from migrate.changes.platform.generations import handshake_of, identity_generation_of
from migrate.commands.apply import apply
from migrate.commands.context import Context
from migrate.commands.documents import RehearsalDocument
from migrate.commands.plan import save_plan
from migrate.commands.planning import PlanFlags, plan_from, read_cluster
from migrate.commands.rehearsal_document import Played, document_of
from migrate.commands.resume import resume
from migrate.commands.rollback import rollback
from migrate.commands.runs import TOKEN_LETTERS, Ended, read_run
from migrate.commands.verify import verify
from migrate.commands.windows import NO_WINDOW_RISK, WindowFlags
from migrate.errors import BadInputError, BlockedError, ExitCode, UnreachableError
from migrate.records.assessment import Options
from migrate.records.snapshot import ClusterIdentity, Snapshot
from migrate.sandbox.controllers.approval import Approver
from migrate.sandbox.run import Controllers, SandboxOptions, opened
from migrate.store.rehearsals import save_rehearsal
from migrate.store.run_directory import new_run_id

SPEED: Final = 50.0
"""By how much the product's delays are divided."""
SETTLE_S: Final = 300.0
NO_WINDOW: Final = WindowFlags(window="none")
NOT_SEEDED: Final = frozenset({"CustomResourceDefinition", "Pod"})
"""Kinds of a snapshot that are not put into the sandbox: it has its own, and a snapshot holds only a part of them."""

Connect = Callable[[Path, Path, float], Context]
"""Gives the context of a verb on the sandbox: its kubeconfig, a state dir, and by how much sleeps are shortened."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Playground:
    """
    A seeded cluster with its played controllers.

    Attributes:
        context: What a verb on it works with.

        settle: Waits until the controllers have nothing more to do; False when that took too long.

        approve: Lets somebody approve the InstallPlan of the upgrade.
    """

    context: Context
    settle: Callable[[], bool]
    approve: Callable[[], None]


Open = Callable[[SandboxOptions, Path], AbstractContextManager[Playground]]
"""Seeds and plays a cluster while its block lasts, with the state dir of its runs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RehearseFlags:
    """``--example``, ``--controllers``, ``--build`` and ``--speed`` as they were said."""

    example: str = ""
    controllers: Controllers = "3.5"
    build: str = ""
    speed: float = SPEED


@dataclass(frozen=True, kw_only=True, slots=True)
class Seed:
    """What the sandbox is to be like: the options that seed it, the cluster it stands for, and in words its source."""

    options: SandboxOptions
    cluster: ClusterIdentity
    source: str


def served(connect: Connect) -> Open:
    """Return what opens a sandbox that is served in this process and met through *connect*."""

    @contextmanager
    def open_(options: SandboxOptions, state: Path) -> Iterator[Playground]:
        with opened(options) as sandbox:
            troupe = sandbox.context.troupe
            yield Playground(
                context=connect(options.kubeconfig, state, options.speed),
                settle=lambda: troupe.wait_settled(SETTLE_S),
                approve=lambda: troupe.add(Approver(sandbox.context, 0.0)),
            )

    return open_


def rehearse(
    context: Context, flags: PlanFlags, asked: RehearseFlags, open_: Open
) -> tuple[RehearsalDocument, ExitCode]:
    """
    Plan, apply, upgrade, resume, verify and roll back on a sandbox; the cluster itself is only read.

    Raises:
        BadInputError: A flag, a file or an example cannot be used.

        BlockedError: The platform is neither 3.5 nor 3.6, so that nothing can be played.
    """
    if asked.example and flags.snapshot:
        raise BadInputError(
            "--example and --snapshot exclude each other.", resolution="Leave --example or --snapshot out."
        )
    with tempfile.TemporaryDirectory(prefix="maas-migrate-rehearsal-") as folder:
        seed = _seed(context, flags, asked, Path(folder))
        context.say(f"rehearsing {seed.source} on a sandbox, delays divided by {asked.speed:.0f}")
        with open_(seed.options, Path(folder) / "state") as ground:
            _must_settle(ground)
            stage = replace(ground.context, tenants=context.tenants, cwd=context.cwd, user=context.user, keeps=False)
            played = _play(stage, ground, replace(flags, snapshot=""))
    token = "".join(secrets.choice(TOKEN_LETTERS) for _ in range(6))
    document = document_of(
        played,
        name=new_run_id(context.clock.now(), token),
        cluster=seed.cluster,
        source=seed.source,
        options=seed.options,
    )
    path = save_rehearsal(context.state(), document.id, document)
    context.say(f"rehearsal saved as {path}")
    return document, ExitCode(document.exit_code)


def _seed(context: Context, flags: PlanFlags, asked: RehearseFlags, folder: Path) -> Seed:
    kubeconfig = folder / "kubeconfig"
    if asked.example:
        options = SandboxOptions(
            example=asked.example,
            controllers=asked.controllers,
            kubeconfig=kubeconfig,
            speed=asked.speed,
            build=asked.build,
        )
        return Seed(options=options, cluster=ClusterIdentity(server=""), source=f"example {asked.example}")
    snapshot = read_cluster(context, flags.snapshot)
    platform = assess(snapshot, Options()).platform
    if platform not in {"3.5", "3.6"}:
        raise BlockedError(
            f"The platform is {platform}; only 3.5 and 3.6 can be played.",
            resolution="See maas-migrate check for what is known of it.",
        )
    objects = folder / "objects"
    objects.mkdir()
    for number, raw in enumerate(thing for thing in snapshot.objects if thing.get("kind") not in NOT_SEEDED):
        (objects / f"{number:06d}.json").write_bytes(msgspec.json.encode(raw))
    options = SandboxOptions(
        objects=(objects,),
        controllers=cast("Controllers", platform),
        kubeconfig=kubeconfig,
        speed=asked.speed,
        build=asked.build or build_of(snapshot, platform),
    )
    return Seed(options=options, cluster=snapshot.cluster, source=flags.snapshot or "live")


def build_of(snapshot: Snapshot, platform: str) -> str:
    """Return the build of 3.6 that the cluster's signs tell, ``""`` for the one that is assumed without any."""
    if platform != "3.6":
        return ""
    parts = ["handshake=D"] if handshake_of(snapshot) == "D" else []
    identity = identity_generation_of(snapshot)
    parts += ["identity=V4"] if identity == "V4" else ["identity=none"] if identity in {"V2", "V3"} else []
    return ",".join(parts)


def _must_settle(ground: Playground) -> None:
    if not ground.settle():
        raise UnreachableError(
            f"The played controllers did not settle within {SETTLE_S:.0f} s.",
            resolution="Look for objects in the snapshot that contradict each other.",
        )


def _play(stage: Context, ground: Playground, flags: PlanFlags) -> Played:
    """Do the whole job on the sandbox and return what came of it."""
    snapshot = stage.live().collect()
    plan = plan_from(stage, flags, snapshot)
    save_plan(stage, plan, snapshot)
    if plan.exit_code or not plan.steps:
        return Played(plans=(plan,), codes=(ExitCode(plan.exit_code),))
    accept = (f"{NO_WINDOW_RISK}=rehearsal",)
    ended = apply(stage, plan.id, PlanFlags(accept=accept), NO_WINDOW, dry_run=False)
    if ended.state is not None and ended.state.state == "waiting-for-upgrade":
        ended = _upgrade(stage, ground, ended.state.id, accept)
    if ended.state is None:
        return Played(plans=(plan,), codes=(ExitCode(ended.code),))
    return _judge(stage, ended, ended.state.id)


def _upgrade(stage: Context, ground: Playground, run: str, accept: tuple[str, ...]) -> Ended:
    """Let somebody approve the InstallPlan, as happens between the parts, and go on."""
    ground.approve()
    while True:
        ended = resume(stage, run, "", NO_WINDOW, accept)
        if ended.state is None or ended.state.state != "waiting-for-upgrade" or stage.person.stop_requested():
            return ended
        # Nothing has happened yet: the approval, or its first effect, is a moment away.
        stage.clock.sleep(SPEED)


def _judge(stage: Context, ended: Ended, run: str) -> Played:
    forward = read_run(stage, run)
    events = forward.directory.events()
    plans = forward.plans()
    state = forward.state
    verdict, verified = verify(stage, run, "")
    back = rollback(stage, run, WindowFlags())
    return Played(
        plans=plans,
        events=events,
        state=state,
        verification=verdict,
        way_back=read_run(stage, run).directory.events()[len(events) :],
        rollback=back.state,
        rollback_plan=forward.promised() if forward.in_rollback else None,
        codes=(ExitCode(ended.code), verified, ExitCode(back.code)),
    )
