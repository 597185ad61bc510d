"""
What the played 3.5 controllers leave on a fresh server, object by object beside a recorded installation.

The server gets what people had put there before: first the platform and the models, then the tenants, then what
lives in the tenants' namespaces. What still differs stands in ``docs/likeness.md``.
"""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from migrate.maas.resources import MAAS_SUBSCRIPTION, NAMESPACE
from migrate.records.objects import get_in
from migrate.sandbox.controllers.planting import Planter
from migrate.sandbox.run import EMBEDDED, Sandbox, SandboxOptions, opened
from migrate.sandbox.seeding import identity
from tests.contract.differences import RECORDING_DIFFERS
from tests.e2e.stage import SHARED
from tests.real.recorded import (
    Json,
    Key,
    differences,
    objects_in,
    seeds_of,
    written_by_the_product,
)
from tests.real.servers import control_plane

RECORDING = SHARED / "clusters" / "real-3.5"
TENANTS = "ai-tenants"
SPEED = 200.0
WAIT_S = 120.0

pytestmark = [
    pytest.mark.shared,
    pytest.mark.slow,
    pytest.mark.skipif(not RECORDING.is_dir(), reason="the recorded cluster is not beside this checkout"),
]


@pytest.fixture(
    scope="module",
    params=["embedded", pytest.param("real", marks=pytest.mark.real)],
)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Key, Json]]:
    """Everything that the product wrote on a fresh server of that kind."""
    place = tmp_path_factory.mktemp("recorded")
    if request.param == "embedded":
        yield _play(place, EMBEDDED)
        return
    with control_plane(place / "plane", request.getfixturevalue("programs")) as plane:
        yield _play(place, str(plane.write_kubeconfig(place / "kubeconfig")))


@pytest.fixture(scope="module")
def recorded() -> dict[Key, Json]:
    return written_by_the_product(objects_in(RECORDING))


def test_the_same_objects_are_written(recorded: dict[Key, Json], played: dict[Key, Json]) -> None:
    assert sorted(played) == sorted(recorded)
    assert len(recorded) > 50


def test_what_is_written_differs_only_as_the_ledger_says(recorded: dict[Key, Json], played: dict[Key, Json]) -> None:
    found = {
        f"{key[1]} {'/'.join(key[2:]).strip('/')} {path}": (one, other)
        for key in recorded.keys() & played.keys()
        for path, one, other in differences(recorded[key], played[key])
    }
    used = {row for row in RECORDING_DIFFERS for what in found if what.startswith(row)}
    unknown = {what: value for what, value in found.items() if not what.startswith(tuple(RECORDING_DIFFERS))}
    assert unknown == {}
    assert used == set(RECORDING_DIFFERS)


def test_a_difference_is_seen(recorded: dict[Key, Json]) -> None:
    key = next(key for key in recorded if key[1] == "TokenRateLimitPolicy")
    other = {**recorded[key], "spec": {}}
    assert [path for path, _, _ in differences(recorded[key], other)] == ["spec.limits", "spec.targetRef"]


def _play(place: Path, api_server: str) -> dict[Key, Json]:
    platform, tenants, rest = _waves()
    seeds = place / "platform.yaml"
    seeds.write_text(yaml.safe_dump_all(platform), encoding="utf-8")
    options = SandboxOptions(
        objects=(SHARED / "crds", seeds), kubeconfig=place / "played", speed=SPEED, api_server=api_server
    )
    with opened(options) as sandbox:
        plant = Planter(sandbox.context.client, sandbox.context.clock).plant
        _until(sandbox, lambda: _has_namespaces(sandbox, tenants))
        plant(tenants)
        _until(sandbox, lambda: _has_namespaces(sandbox, rest))
        plant(rest)
        _until(sandbox, lambda: _all_are_told(sandbox))
        return written_by_the_product(_live(sandbox))


def _waves() -> tuple[list[Json], list[Json], list[Json]]:
    """Return the seeds in three parts: only the product makes the namespaces of the second and the third."""
    recorded = objects_in(RECORDING)
    made = {key[3] for key, found in written_by_the_product(recorded).items() if _is_generated(key, found)}
    waves: tuple[list[Json], list[Json], list[Json]] = ([], [], [])
    for seed in seeds_of(recorded):
        namespace = seed["metadata"].get("namespace", "")
        waves[1 if namespace == TENANTS else 2 if namespace in made else 0].append(seed)
    return waves


def _is_generated(key: Key, found: Json) -> bool:
    return key[1] == "Namespace" and "app.kubernetes.io/managed-by" in found["metadata"].get("labels", {})


def _until(sandbox: Sandbox, done: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(int(WAIT_S / 0.2)):
        if done():
            assert sandbox.context.troupe.wait_settled(WAIT_S)
            return
        pause.wait(0.2)
    pytest.fail("the players did not come so far in time")


def _has_namespaces(sandbox: Sandbox, seeds: list[Json]) -> bool:
    there = {found["metadata"]["name"] for found in sandbox.context.client.list(NAMESPACE)[0]}
    return {seed["metadata"]["namespace"] for seed in seeds} <= there


def _all_are_told(sandbox: Sandbox) -> bool:
    found = sandbox.context.client.list(MAAS_SUBSCRIPTION)[0]
    return bool(found) and all(get_in(each, "status", "phase") == "Active" for each in found)


def _live(sandbox: Sandbox) -> Iterator[Json]:
    client = sandbox.context.client
    for group, version, name in sorted({identity(found) for found in objects_in(RECORDING)}):
        kind = client.discover(group, version, name)
        for found in client.list(kind)[0]:
            yield {"apiVersion": kind.api_version, "kind": name, **found}
