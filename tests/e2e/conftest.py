"""
The installed program against a sandbox in another process, with plain ``kubectl`` beside it.

``@pytest.mark.story(...)`` gives a test a cluster of its own as ``stage``; ``@pytest.mark.scene``
gives it the one that its module shares, which it leaves as it was. Both are played beside the
others of their module.
"""

from collections.abc import Iterator

import pytest

from tests.e2e.theatre import Theatre, is_played

_THEATRE = pytest.StashKey[Theatre]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "story(**options): play the test on a sandbox of its own, beside its module's")
    config.addinivalue_line("markers", "scene: play the test on the sandbox that its module shares, beside the others")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not is_played(pyfuncitem):
        return None
    pyfuncitem.session.stash[_THEATRE].see(pyfuncitem)
    return True


@pytest.fixture(scope="session", autouse=True)
def theatre(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    house = Theatre(tmp_path_factory.mktemp("stories"))
    request.session.stash[_THEATRE] = house
    yield
    house.close()


@pytest.fixture
def stage() -> None:
    """A place holder: the theatre hands the cluster over when the test is played."""
