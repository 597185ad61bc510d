"""Contract 2.1, 4.2, 4.6: the type asked for and the marker decide whose turn it is."""

import pytest

from migrate.records.objects import KubeObject
from migrate.sandbox.controllers.build_36 import Build
from migrate.sandbox.controllers.handshake import GatewayMove, PlatformMove, gateway_move, platform_move

C, D = Build(handshake="C"), Build(handshake="D")


def a_config(asked: str | None, claim: str | None) -> KubeObject:
    named = {"type": asked, "status": claim}
    held = {f"maas.opendatahub.io/payload-processing-{key}": value for key, value in named.items() if value is not None}
    return KubeObject({"metadata": {"annotations": held}})


MOVES = [
    ("praxis", None, PlatformMove.HAND_OVER, GatewayMove.NOTHING),
    ("praxis", "cleanup-complete", PlatformMove.LEAVE_TO_PRAXIS, GatewayMove.CLAIM),
    ("praxis", "steady", PlatformMove.LEAVE_TO_PRAXIS, GatewayMove.APPLY),
    ("praxis", "somebody", PlatformMove.LEAVE_TO_PRAXIS, GatewayMove.NOTHING),
    ("ipp", None, PlatformMove.DEPLOY_IPP, GatewayMove.NOTHING),
    ("ipp", "cleanup-complete", PlatformMove.TAKE_BACK, GatewayMove.NOTHING),
    ("ipp", "steady", PlatformMove.WAIT_FOR_RELEASE, GatewayMove.RELEASE),
    ("ipp", "somebody", PlatformMove.WAIT_FOR_RELEASE, GatewayMove.NOTHING),
]


@pytest.mark.parametrize("build", [C, D], ids=["C", "D"])
@pytest.mark.parametrize(("asked", "claim", "platform", "gateway"), MOVES)
def test_each_state_gives_each_controller_one_move(
    build: Build, asked: str | None, claim: str | None, platform: PlatformMove, gateway: GatewayMove
) -> None:
    config = a_config(asked, claim)

    assert (platform_move(config, build), gateway_move(config, build)) == (platform, gateway)


@pytest.mark.parametrize("asked", [None, "", "Praxis"])
def test_a_type_that_is_not_said_is_ipp_in_c_and_praxis_in_d(asked: str | None) -> None:
    config = a_config(asked, None)

    assert platform_move(config, C) is PlatformMove.DEPLOY_IPP
    assert platform_move(config, D) is PlatformMove.HAND_OVER


@pytest.mark.parametrize("build", [C, D], ids=["C", "D"])
def test_the_two_never_work_on_the_same_names_at_once(build: Build) -> None:
    for asked in (None, "ipp", "praxis", "x"):
        for claim in (None, "cleanup-complete", "steady", "x"):
            config = a_config(asked, claim)
            on_ipp = platform_move(config, build) in {PlatformMove.DEPLOY_IPP, PlatformMove.HAND_OVER}
            on_praxis = gateway_move(config, build) in {GatewayMove.APPLY, GatewayMove.RELEASE}

            assert not (on_ipp and on_praxis)


def test_a_tenant_that_is_being_deleted_is_released() -> None:
    config = a_config("praxis", "steady")
    config.raw["metadata"]["deletionTimestamp"] = "2026-11-30T00:00:00Z"

    assert gateway_move(config, C) is GatewayMove.RELEASE
