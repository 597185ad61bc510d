"""Bodies in protobuf."""

import pytest

from migrate.sandbox.apiserver.protocol.protobuf import UnknownMessageError, decode_protobuf


def field(number: int, value: bytes | int) -> bytes:
    """One field as it goes over the wire; short values only."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    return bytes([number << 3 | 2, len(value)]) + value


def envelope(kind: str, raw: bytes) -> bytes:
    return b"k8s\x00" + field(1, field(1, b"v1") + field(2, kind.encode())) + field(2, raw)


def test_a_config_map_is_read() -> None:
    raw = field(1, field(1, b"a") + field(8, b"")) + field(2, field(1, b"k") + field(2, b"v")) + field(4, 1)

    assert decode_protobuf(envelope("ConfigMap", raw)) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a"},
        "data": {"k": "v"},
        "immutable": True,
    }


def test_an_empty_group_stays_in_a_list() -> None:
    rules = decode_protobuf(envelope("Role", field(2, field(1, b"get") + field(2, b""))))["rules"]

    assert rules == [{"verbs": ["get"], "apiGroups": [""]}]


@pytest.mark.parametrize(
    ("kind", "raw", "refused"),
    [
        ("Gadget", b"", True),
        ("ConfigMap", field(9, b"\xff"), True),
        ("ConfigMap", field(9, 3), True),
        ("ConfigMap", field(9, field(1, 0) + field(2, b"")), False),
    ],
)
def test_nothing_is_lost_in_silence(kind: str, raw: bytes, refused: bool) -> None:
    data = envelope(kind, raw)

    if refused:
        with pytest.raises(UnknownMessageError):
            decode_protobuf(data)
    else:
        assert decode_protobuf(data)["kind"] == kind


@pytest.mark.parametrize("data", [b"", b"{}", b"k8s\x00\x0a"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="body"):
        decode_protobuf(data)
