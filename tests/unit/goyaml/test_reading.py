"""The rules of the contract's 3.4, how the text is read, row by row; and what is noticed on the way."""

import contextlib
import time
from typing import Any

import pytest

from migrate.goyaml import (
    DUPLICATE_KEY,
    MERGE_KEY,
    MERGE_OVERLAP,
    MORE_DOCUMENTS,
    OTHER_READING,
    TAG,
    AnyMap,
    ExcessiveAliasError,
    GoYamlError,
    IncompatibleVersionError,
    Slice,
    Struct,
    Text,
    TooLargeError,
    canonical,
    path_text,
    read,
    read_as,
)

PLUGIN = Struct({"type": Text(), "name": Text(), "parameters": AnyMap()})
CONFIG = Struct({"kind": Text(), "plugins": Slice(PLUGIN)})


def aliases(levels: int, width: int = 10) -> str:
    lines = [f"a0: &a0 [{','.join('x' * width)}]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("k: !!binary bW9kZWw=", {"k": "model"}, id="binary"),
        pytest.param("k: !foo x", {"k": "x"}, id="unknown-tag"),
        pytest.param("k: a\x85  b", {"k": "a b"}, id="next-line"),
        pytest.param("a: 1\n<<: {a: 2}", {"a": 2}, id="merge-after-key"),
        pytest.param("<<: {a: 2}\na: 1", {"a": 1}, id="merge-before-key"),
        pytest.param("[y, n, yes, no, on, off]", [True, False] * 3, id="booleans"),
        pytest.param("k: 1:30", {"k": "1:30"}, id="base-60"),
        pytest.param("k:\tv", {"k": "v"}, id="tab-after-colon"),
        pytest.param('{\t"a":\t1\t}', {"a": 1}, id="tabs-in-flow"),
        pytest.param("1: a\ntrue: b", {"1": "a", "true": "b"}, id="keys-as-text"),
        pytest.param("k: 010", {"k": 8}, id="octal"),
        pytest.param("k: 0o10", {"k": 8}, id="octal-1.2"),
        pytest.param("k: .5_5", {"k": 0.55}, id="underscore-behind-a-point"),
        pytest.param("k: 0b-1", {"k": -1}, id="signed-binary"),
        pytest.param("k: 2026-01-01", {"k": "2026-01-01"}, id="date"),
        pytest.param(aliases(1), {"a0": ["x"] * 10}, id="one-level"),
        pytest.param("- a\n-\n", ["a", None], id="empty-item"),
        pytest.param("\ufeffa: 1\r\nb: 2\r\n", {"a": 1, "b": 2}, id="bom-and-crlf"),
        pytest.param("a: 1\na: 2", {"a": 2}, id="duplicate"),
        pytest.param("a: 1\n---\n@ broken [", {"a": 1}, id="broken-second-document"),
        pytest.param("a: 1\n...\n@ broken [", {"a": 1}, id="broken-after-end"),
        pytest.param("", None, id="empty"),
    ],
)
def test_a_text_reads_as(text: str, value: Any) -> None:
    assert read(text).value == value


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("%YAML 1.2\n---\na: 1", id="yaml-1.2"),
        pytest.param("# \x1b", id="control-in-comment"),
        pytest.param("~: a", id="null-key"),
        pytest.param("? [a]\n: b", id="sequence-key"),
        pytest.param("k: .inf", id="infinity"),
        pytest.param("k: .nan", id="not-a-number"),
        pytest.param("k: *x", id="unknown-alias"),
        pytest.param("k: &x [*x]", id="endless-alias"),
        pytest.param("[" * 10_001 + "]" * 10_001, id="too-deep-flow"),
        pytest.param("- " * 10_001 + "a", id="too-deep-block"),
        pytest.param("- " * 6_000 + "[" * 4_001 + "]" * 4_001, id="too-deep-together"),
        pytest.param("a: [", id="unclosed"),
        pytest.param("a: {{ .Values.x }}", id="template"),
    ],
)
def test_a_text_is_refused(text: str) -> None:
    with pytest.raises(GoYamlError):
        read(text)


def test_ten_thousand_levels_pass() -> None:
    assert canonical(read("[" * 10_000 + "]" * 10_000).value) == "[" * 10_000 + "]" * 10_000


def test_three_levels_of_ten_aliases_pass_and_four_do_not() -> None:
    assert len(read(aliases(3)).value["a2"]) == 10

    with pytest.raises(ExcessiveAliasError):
        read(aliases(4))


def test_the_version_error_has_a_class_of_its_own() -> None:
    with pytest.raises(IncompatibleVersionError, match=r"line 1, column 1: .*1\.2"):
        read("%YAML 1.2\n---\na")


def test_an_error_names_line_and_column() -> None:
    with pytest.raises(GoYamlError, match=r"^line 3, column 4: ") as caught:
        read("a: 1\nb: 2\nc: @x\n")

    assert (caught.value.line, caught.value.column) == (3, 4)


def test_a_control_character_behind_the_piece_of_the_first_document_is_not_seen() -> None:
    assert read("a: 1\n---\n" + "x" * 600 + "\x07").value == {"a": 1}

    with pytest.raises(GoYamlError, match="control characters"):
        read("a: 1\n---\n\x07")


@pytest.mark.parametrize(
    ("text", "code", "path"),
    [
        pytest.param("a: {b: 1, b: 2}", DUPLICATE_KEY, "a.b", id="duplicate"),
        pytest.param("a: {<<: {b: 1}}", MERGE_KEY, "a", id="merge"),
        pytest.param("a: {<<: {b: 1}, b: 2}", MERGE_OVERLAP, "a.b", id="merge-overlap"),
        pytest.param("a: [!!binary YQ==]", TAG, "a[0]", id="binary"),
        pytest.param("a: !foo x", TAG, "a", id="unknown-tag"),
        pytest.param("a: !!set {b}", TAG, "a", id="set"),
        pytest.param("a: 1\n---\nb: 1", MORE_DOCUMENTS, "", id="second-document"),
        pytest.param("a: 1\n...\nb", MORE_DOCUMENTS, "", id="after-end"),
        pytest.param("[]: x", MORE_DOCUMENTS, "", id="unread-rest"),
        *[
            pytest.param(f"a: {word}", OTHER_READING, "a", id=word)
            for word in ("y", "yes", "On", "0o10", "010", "1:30", "2026-01-01", "1_000", "0b1", "1e3", "08", "=")
        ],
        pytest.param("a: 9007199254740993", OTHER_READING, "a", id="beyond-2^53"),
    ],
)
def test_it_is_noticed(text: str, code: str, path: str) -> None:
    found = {(observation.code, path_text(observation.path)) for observation in read(text).observations}

    assert (code, path) in found


@pytest.mark.parametrize(
    "text",
    [
        "a: 1",
        "a: true",
        "a: null",
        "a: -1.5",
        "a: x",
        "a: !!str 5",
        "a: ! x",
        "a: 'yes'",
        "a: &x 1\nb: *x",
        "a: 1\n...\n# x\n",
    ],
)
def test_nothing_is_noticed(text: str) -> None:
    assert read(text).observations == ()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("kind: 5", {"kind": "5", "plugins": None}, id="number-as-text"),
        pytest.param("kind: yes", {"kind": "true", "plugins": None}, id="boolean-as-text"),
        pytest.param("kind: 010", {"kind": "8", "plugins": None}, id="octal-as-text"),
        pytest.param("kind: 1.50", {"kind": "1.5", "plugins": None}, id="float-as-text"),
        pytest.param("kind: .inf", {"kind": "+Inf", "plugins": None}, id="infinity-as-text"),
        pytest.param("kind: 123456789.0", {"kind": "1.2345679e+08", "plugins": None}, id="large-float-as-text"),
        pytest.param("kind: 0.000244140625", {"kind": "0.00024414063", "plugins": None}, id="power-of-two-as-text"),
        pytest.param("kind: 61152.8125", {"kind": "61152.812", "plugins": None}, id="half-way-as-text"),
        pytest.param("kind: 1e39", {"kind": "+Inf", "plugins": None}, id="too-large-for-32-bits"),
        pytest.param("kind: ~", {"kind": "", "plugins": None}, id="null-text"),
        pytest.param("KIND: a", {"kind": "a", "plugins": None}, id="other-case"),
        pytest.param("\u212aind: a", {"kind": "a", "plugins": None}, id="kelvin-sign"),
        pytest.param("Kind: a\nkind: b", {"kind": "b", "plugins": None}, id="both-cases"),
        pytest.param("kind: b\nKind: a", {"kind": "b", "plugins": None}, id="both-cases-in-byte-order"),
        pytest.param("plugins: []", {"kind": "", "plugins": []}, id="empty-list"),
        pytest.param("~", {"kind": "", "plugins": None}, id="null-document"),
        pytest.param(
            "Plugins: [{type: a, name: b}]\nplugins: [{type: c}]",
            {"kind": "", "plugins": [{"type": "c", "name": "b", "parameters": None}]},
            id="second-list-decodes-over-the-first",
        ),
    ],
)
def test_a_struct_is_filled(text: str, value: Any) -> None:
    assert read_as(text, CONFIG).value == value


@pytest.mark.parametrize("text", ["kind: [a]", "kind: {}", "plugins: {}", "plugins: a", "plugins: [a]", "[]", "a", "5"])
def test_a_struct_is_not_filled(text: str) -> None:
    with pytest.raises(GoYamlError):
        read_as(text, CONFIG)


def test_parameters_are_rounded_as_64_bit_floats_hold_them() -> None:
    value = read_as("plugins: [{parameters: {a: 9007199254740993}}]", CONFIG).value

    assert value["plugins"][0]["parameters"] == {"a": 9007199254740992}


def test_a_text_that_is_too_large_is_an_error_of_its_own() -> None:
    with pytest.raises(TooLargeError):
        read("# x\n" * 2_000_000)


def test_a_text_with_too_many_nodes_is_the_same_error() -> None:
    with pytest.raises(TooLargeError):
        read("- a\n" * 100_001)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("# x\n" * 1_000_000, id="a-million-lines-of-comment"),
        pytest.param("\n" * 1_000_000, id="a-million-empty-lines"),
        pytest.param("a: 'x" + "\n" * 500_000 + "'", id="a-long-gap"),
        pytest.param("a: b" + " " * 1_000_000 + "c", id="blanks"),
        pytest.param("[" * 1_000_000, id="brackets"),
        pytest.param("? " * 500_000, id="question-marks"),
        pytest.param(":" * 1_000_000, id="colons"),
        pytest.param("a: !" + "x" * 500_000, id="a-long-tag"),
        pytest.param(aliases(9), id="alias-bomb"),
        pytest.param("a: &a " + "x" * 500_000 + "\nb: [" + ",".join(["*a"] * 900) + "]", id="long-text-many-times"),
    ],
)
def test_a_hostile_text_is_answered_soon(text: str) -> None:
    started = time.perf_counter()

    with contextlib.suppress(GoYamlError):
        read(text)

    assert time.perf_counter() - started < 10
