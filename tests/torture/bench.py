"""``python -m tests.torture.bench``: what reading and planning cost by the number of subscriptions, as ratios."""

import argparse
import multiprocessing
import random
import resource
import sys
import time
from dataclasses import dataclass
from typing import Final

import msgspec

from migrate.changes.plan import make_plan
from migrate.changes.survey import queries
from migrate.commands.planning import assess_with
from migrate.kube.collect import collect
from migrate.records.assessment import Options
from migrate.sandbox.apiserver import ApiServer
from migrate.sandbox.crds import crds_of
from migrate.sandbox.examples import example
from migrate.sandbox.seeding import Loaded, prepared
from migrate.store.runbooks import load_runbook
from tests.torture.clock import START, Time, ToolClock
from tests.torture.points import Points
from tests.torture.results import ROOT, record
from tests.torture.wire import Wire

SIZES: Final = (100, 1_000, 10_000, 50_000)


@dataclass(frozen=True, kw_only=True)
class Cost:
    """
    What one cluster of *subscriptions* cost.

    Attributes:
        requests: Sent to read it.

        virtual_s: How long the reading takes at the default pace, the server's own time not counted.

        cpu_s: Of this machine, for the answers of the embedded server and for reading and planning.

        peak_mib: The most memory that the process had, the embedded server's objects included.
    """

    subscriptions: int
    requests: int
    virtual_s: float
    cpu_s: float
    peak_mib: float
    plan_bytes: int


def cost_of(subscriptions: int) -> Cost:
    """Read and plan a cluster of so many subscriptions."""
    now = Time()
    server = ApiServer(clock=now, rng=random.Random(1))
    objects = example("large", "3.6", subscriptions)
    server.seed(
        prepared(Loaded(objects, {}), crds_of("3.6"), START.strftime("%Y-%m-%dT%H:%M:%SZ")), manager="installer"
    )
    connection = Wire(server=server, time=now, points=Points(), process=1, sent=[]).connection()
    began, clock = time.process_time(), ToolClock(now, lambda: False)
    snapshot = collect(connection, queries, clock, at_once=1)
    assessment = assess_with(snapshot, Options())
    plan = make_plan(snapshot, assessment, load_runbook("ipp-to-praxis", ROOT).runbook, Options())
    return Cost(
        subscriptions=subscriptions,
        requests=sum(snapshot.requests.values()),
        virtual_s=now.passed_s,
        cpu_s=time.process_time() - began,
        peak_mib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        plan_bytes=len(msgspec.json.encode(plan)),
    )


def main(arguments: list[str]) -> int:
    """Measure each size in a process of its own, and tell each against the one before."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture.bench", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    given = parser.parse_args(arguments)
    costs: list[Cost] = []
    for size in given.sizes:
        with multiprocessing.get_context("fork").Pool(1) as pool:
            costs.append(pool.apply(cost_of, (size,)))
        told = costs[-1]
        sys.stdout.write(
            f"{size} subscriptions: {told.requests} requests, {told.virtual_s:.1f} s at the default pace, "
            f"{told.cpu_s:.2f} s of CPU, {told.peak_mib:.0f} MiB, a plan of {told.plan_bytes} bytes\n"
        )
        sys.stdout.flush()
    first, last = costs[0], costs[-1]
    said = (
        f"{last.subscriptions} subscriptions against {first.subscriptions}, "
        f"x {last.subscriptions / first.subscriptions:.0f}: "
        f"requests {first.requests} and {last.requests}, CPU x {last.cpu_s / first.cpu_s:.0f}, "
        f"memory x {last.peak_mib / first.peak_mib:.1f}, plan x {last.plan_bytes / first.plan_bytes:.1f}"
    )
    sys.stdout.write(f"{said}\n")
    record("bench", command="make bench", said=said)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
