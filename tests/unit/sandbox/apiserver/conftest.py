"""Fixtures of the API server's tests."""

import pytest

from .driver import CRDS, Api, crd


@pytest.fixture
def api() -> Api:
    """A server that knows the built-in kinds only."""
    return Api()


@pytest.fixture
def widgets(api: Api) -> Api:
    """A server that knows Widgets too."""
    created = api.post(CRDS, crd())
    assert created.status == 201, created.document
    return api
