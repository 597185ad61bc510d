"""
The installed program against a sandbox in another process, with plain ``kubectl`` beside it.

``@pytest.mark.story(...)`` gives a test a cluster of its own as ``stage`` and plays it beside the
other stories of its module. Without the mark ``stage`` is a cluster that the module shares, for
tests that leave it as it was.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.stage import Options, Stage, opened
from tests.e2e.theatre import Theatre, is_story

_THEATRE = pytest.StashKey[Theatre]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "story(**options): play the test on a sandbox of its own, beside its module's")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not is_story(pyfuncitem):
        return None
    pyfuncitem.session.stash[_THEATRE].see(pyfuncitem)
    return True


@pytest.fixture(scope="session", autouse=True)
def theatre(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    house = Theatre(tmp_path_factory.mktemp("stories"))
    request.session.stash[_THEATRE] = house
    yield
    house.close()


@pytest.fixture(scope="module")
def shared_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with opened(Path(tmp_path_factory.mktemp("shared")), Options()) as stage:
        yield stage


@pytest.fixture
def stage(request: pytest.FixtureRequest) -> Stage | None:
    if is_story(request.node):
        return None  # The theatre gives the story its own.
    shared: Stage = request.getfixturevalue("shared_stage")
    return shared
