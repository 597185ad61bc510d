"""The same random sequences of operations on both servers at once: their answers must not differ."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.contract.likeness import Api
from tests.contract.likeness_targets import embedded_api, real_api
from tests.contract.operation_strategies import SEQUENCES
from tests.contract.operations import Json, Session, carry_out
from tests.contract.recorded import PLACE, load, record
from tests.servers.locate import Programs

pytestmark = [pytest.mark.real, pytest.mark.slow]
BOUNDED = settings(
    max_examples=int(os.environ.get("MAAS_MIGRATE_EXAMPLES", "60")),
    deadline=None,
    derandomize="MAAS_MIGRATE_EXAMPLES" not in os.environ,  # Whoever asks for a number asks for chance.
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
    database=None,
)
Twins = tuple[Api, Api]


@pytest.fixture(scope="module")
def twins(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twins]:
    def place(name: str) -> Path:
        return tmp_path_factory.mktemp(name)

    with embedded_api(place("embedded")) as embedded, real_api(place("real"), programs) as real:
        yield embedded, real


@BOUNDED
@given(operations=SEQUENCES)
def test_both_answer_alike_and_tell_the_same_history(twins: Twins, operations: list[Json]) -> None:
    embedded, real = (Session(api) for api in twins)
    for operation in operations:
        assert embedded.do(operation) == real.do(operation), operation
    for kind in ("ConfigMap", "Lamp"):
        assert embedded.history(kind) == real.history(kind)


@pytest.mark.parametrize("path", sorted(PLACE.glob("*.json")), ids=lambda path: path.stem)
def test_the_recorded_answers_are_what_the_real_server_says(twins: Twins, path: Path) -> None:
    recorded = load(path)
    if os.environ.get("MAAS_MIGRATE_RECORD"):
        record(path, twins[1], [entry["operations"] for entry in recorded])
        recorded = load(path)
    for entry in recorded:
        assert carry_out(twins[1], entry["operations"]) == entry["answers"], entry["operations"]
