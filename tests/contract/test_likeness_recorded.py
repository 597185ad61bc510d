"""The embedded server beside the recorded answers of a real one: no Go is needed for the truth."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.likeness import Api
from tests.contract.likeness_targets import embedded_api
from tests.contract.operations import Session
from tests.contract.recorded import PLACE, load

FILES = sorted(PLACE.glob("*.json"))


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with embedded_api(tmp_path_factory.mktemp("recorded")) as api:
        yield api


def test_there_are_recordings() -> None:
    assert sum(len(load(path)) for path in FILES) >= 50


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_embedded_server_answers_as_the_real_one_did(embedded: Api, path: Path) -> None:
    for entry in load(path):
        session = Session(embedded)
        for operation, wanted in zip(entry["operations"], entry["answers"], strict=False):
            assert session.do(operation) == wanted, (operation, entry["operations"])
        for kind, history in entry["answers"][-1].items():
            assert session.history(kind) == history, entry["operations"]
