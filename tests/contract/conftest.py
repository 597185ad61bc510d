"""The target of the likeness cases: each is an API server over HTTPS with the same tokens, kinds and rules."""

from collections.abc import Iterator

import pytest

from tests.contract.differences import EMBEDDED_DIFFERS
from tests.contract.likeness import Api
from tests.contract.likeness_targets import embedded_api, real_api
from tests.servers.locate import Programs

REAL = pytest.mark.real


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        name = item.name.partition("[")[0]
        if name in EMBEDDED_DIFFERS and "[embedded" in item.name:
            item.add_marker(pytest.mark.xfail(reason=EMBEDDED_DIFFERS[name], strict=True))


@pytest.fixture(
    scope="session",
    params=[
        "embedded",
        pytest.param("real", marks=REAL),
    ],
)
def target(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """An API server that serves the kinds of the likeness cases and whose early history is gone."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "embedded":
        with embedded_api(folder) as api:
            yield api
        return
    programs: Programs = request.getfixturevalue("programs")
    with real_api(folder, programs) as api:
        yield api
