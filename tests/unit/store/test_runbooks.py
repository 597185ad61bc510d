"""Runbooks as files."""

from pathlib import Path

import pytest
import yaml

from migrate.errors import BadInputError
from migrate.store.runbooks import LARGEST_BYTES, _place, load_runbook, local_names, parse_runbook, shipped_names

GOOD = b"""\
format: maas-migrate/runbook
version: 1
name: mine
title: Mine
platforms: ["3.6"]
goal: It holds.
phases:
- name: one
  title: One
  steps:
  - {id: a, uses: back-up, title: A, estimateS: 1, timeoutS: 2}
"""


def test_the_shipped_runbooks_load(tmp_path: Path) -> None:
    for name in shipped_names():
        assert load_runbook(name, tmp_path).runbook.name == name
    assert "ipp-to-praxis" in shipped_names()


def test_a_local_runbook_is_found_by_name_and_by_path(tmp_path: Path) -> None:
    (tmp_path / "runbooks").mkdir()
    (tmp_path / "runbooks" / "mine.yaml").write_bytes(GOOD)

    assert local_names(tmp_path) == ("mine",)
    assert load_runbook("mine", tmp_path).runbook.name == "mine"
    assert load_runbook("runbooks/mine.yaml", tmp_path).source.endswith("mine.yaml")


def test_an_unknown_name_lists_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="ipp-to-praxis"):
        load_runbook("ipp-to-praxsi", tmp_path)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (GOOD.replace(b"version: 1", b"version: 2"), "version 2 is newer"),
        (GOOD.replace(b"timeoutS: 2", b"timeoutS: soon"), r"line 11 column \d+: Expected `int`"),
        (GOOD.replace(b"title: Mine", b"titel: Mine"), "unknown field `titel`"),
        (GOOD + b"name: twice\n", "line 12 column 1: the key 'name' stands twice"),
        (GOOD + b"\t- x", "line 12"),
        (b"a: &a [*a]", "holds itself"),
        (b"", "Expected `object`"),
        (b"- 1", "line 1 column 1: Expected `object`"),
        (b"\xff\xfe\xff", "mine.yaml"),
        (b"!!python/object/apply:os.system [x]", "could not determine a constructor"),
        (GOOD.replace(b"title: Mine", b'title: "\\uD800"'), "half a character"),
        (GOOD + b'"\\uD800": 1\n', "half a character"),
        (b"x: " + b"y" * 131_072, "larger than 131072 bytes"),
        (GOOD.replace(b"uses: back-up", b"uses: [1]"), r"line 11 column 19: Expected `str`, got `array`"),
        (GOOD.replace(b"- {id: a", b"- {nope: 1, id: a"), r"line 11 column 6: Object contains unknown field `nope`"),
        (GOOD + b"more: 1\n", "line 12 column 1: Object contains unknown field `more`"),
        (GOOD.replace(b"estimateS: 1", b"estimateS: 1, options: {a: {b: [1, &x [*x]]}}"), "holds itself"),
        (b"version: true\n", "mine.yaml"),
    ],
)
def test_what_does_not_validate_names_file_and_place(data: bytes, said: str) -> None:
    with pytest.raises(BadInputError, match=said) as caught:
        parse_runbook(data, "mine.yaml")

    assert caught.value.message.startswith("mine.yaml")


def test_a_runbook_of_just_the_largest_size_is_read() -> None:
    data = GOOD + b"#" * (LARGEST_BYTES - len(GOOD))

    assert parse_runbook(data, "mine.yaml") == parse_runbook(GOOD, "mine.yaml")
    with pytest.raises(BadInputError, match="larger than"):
        parse_runbook(data + b"#", "mine.yaml")


def test_an_alias_bomb_is_answered_at_once() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]

    with pytest.raises(BadInputError):
        parse_runbook("\n".join(lines).encode(), "mine.yaml")


@pytest.mark.parametrize(
    ("path", "line"),
    [("$.phases[...]", 8), ("$.phases[1].title", 8), ("$.phases[9].title", 8), ("$.title.more", 4), ("$", 1)],
)
def test_a_place_that_is_not_in_the_text_is_the_nearest_one_above(path: str, line: int) -> None:
    node = yaml.compose(GOOD, Loader=yaml.SafeLoader)

    assert _place(node, f"Expected `str`, got `int` - at `{path}`").startswith(f", line {line} column ")
    assert _place(None, "Expected") == ""
