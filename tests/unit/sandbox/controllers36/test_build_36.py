import pytest

from migrate.errors import BadInputError
from migrate.sandbox.controllers.build_36 import Build


def test_nothing_said_is_the_product_page() -> None:
    assert Build.parse("") == Build(handshake="C", gate=True, compatibility=True, identity="V5", aigc_gate=True)


def test_every_option_has_a_spelling() -> None:
    parsed = Build.parse(
        "handshake=D,gate=off, compatibility=no,identity=V4,force-covers=everything,overlay-hang,aigc-gate=false"
    )

    assert parsed == Build(
        handshake="D",
        gate=False,
        compatibility=False,
        identity="V4",
        force_covers="everything",
        overlay_hang=True,
        aigc_gate=False,
    )


@pytest.mark.parametrize(
    ("text", "near"), [("handshak=D", "handshake"), ("handshake=E", "C, D"), ("gate=of", "off"), ("nonsense", "Use")]
)
def test_a_word_that_is_not_known_names_the_near_one(text: str, near: str) -> None:
    with pytest.raises(BadInputError) as caught:
        Build.parse(text)

    assert near in caught.value.resolution
