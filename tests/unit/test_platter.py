"""The model of a disk that loses its power: what was synced stays, and of the rest only what such a disk may leave."""

import random
from pathlib import Path

import pytest

from tests.torture.disk import BLOCKS_BYTES, Platter, SimDisk
from tests.torture.points import LEFT, Points

SYNCED, MORE = b"a" * 700 + b"\n", b"b" * 9000 + b"\n"


def a_file(tmp_path: Path) -> tuple[Platter, Path]:
    """Return a disk with a file of which only the first line was synced."""
    path = tmp_path / "journal.jsonl"
    path.write_bytes(SYNCED)
    platter = Platter(tmp_path)
    path.write_bytes(SYNCED + MORE)
    platter.wrote(path)
    return platter, path


def left(tmp_path: Path, how: str, seed: int = 1) -> bytes:
    platter, path = a_file(tmp_path)
    platter.lose_power(random.Random(seed), how)
    return path.read_bytes()


@pytest.mark.parametrize("how", ["", *LEFT])
def test_what_was_synced_stays(tmp_path: Path, how: str) -> None:
    for seed in range(20):
        assert left(tmp_path, how, seed).startswith(SYNCED)


def test_nothing_or_all_of_the_rest_may_be_left(tmp_path: Path) -> None:
    assert left(tmp_path, "dropped") == SYNCED
    assert left(tmp_path, "kept") == SYNCED + MORE


def test_the_rest_may_be_cut_and_is_never_whole_then(tmp_path: Path) -> None:
    for seed in range(20):
        found = left(tmp_path, "cut", seed)
        assert (SYNCED + MORE).startswith(found)
        assert len(found) < len(SYNCED + MORE)


def test_a_block_of_the_rest_may_be_lost_where_blocks_lie(tmp_path: Path) -> None:
    sizes = set()
    for seed in range(40):
        found = left(tmp_path, "holed", seed)
        hole = [at for at, byte in enumerate(found) if byte == 0]
        assert len(found) == len(SYNCED + MORE)
        assert hole == list(range(hole[0], hole[-1] + 1))
        sizes |= {size for size in BLOCKS_BYTES if len(hole) == size and hole[0] % size == 0}
    assert sizes == set(BLOCKS_BYTES)


def test_a_name_that_was_not_synced_may_be_lost_and_may_stay(tmp_path: Path) -> None:
    for how, stays in (("dropped", False), ("kept", True)):
        root = tmp_path / how
        root.mkdir()
        platter = Platter(root)
        SimDisk(platter, Points()).create(root / "new", b"text")
        platter.lose_power(random.Random(1), how)
        assert (root / "new").exists() is stays
