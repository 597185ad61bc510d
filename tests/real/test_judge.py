"""
The reader of plugins ConfigMaps beside the libraries that the controllers use.

A small program in Go decides; hypothesis feeds both with mutations of the
cases' files, with documents written in many styles, and with scalars.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from migrate.maas.plugins_config import judge as fingerprint
from tests.e2e.stage import SHARED
from tests.real.judging import Judge, alike, judge, ours
from tests.servers.locate import go_version

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(go_version() is None, reason="the judge is written in Go, and Go is not installed"),
]
EXAMPLES = int(os.environ.get("MAAS_MIGRATE_EXAMPLES", "800"))
"""A night may ask for more."""
BOUNDED = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
PRE, MAIN = "custom-pre-processing-ipp-config.yaml", "custom-ipp-config.yaml"
DEFAULT: dict[str, str] = {
    PRE: """kind: PayloadProcessorConfig
plugins:
- type: body-field-to-header
  name: model-extractor
  parameters: {fieldName: model, headerName: X-Gateway-Model-Name}
- type: model-provider-resolver
profiles:
- name: default
  plugins:
    request:
    - pluginRef: model-extractor
    - pluginRef: model-provider-resolver
""",
    MAIN: """kind: PayloadProcessorConfig
plugins:
- {type: maas-headers-guard, name: maas-headers-guard}
- type: stream-usage-enforcer
- type: model-provider-resolver
- type: api-translation
- type: apikey-injection
profiles:
- name: default
  plugins:
    request:
    - pluginRef: maas-headers-guard
    - pluginRef: stream-usage-enforcer
    - pluginRef: model-provider-resolver
    - pluginRef: api-translation
    - pluginRef: apikey-injection
    response: []
""",
}


@pytest.fixture(scope="module")
def go() -> Iterator[Judge]:
    with judge() as running:
        yield running


def _files() -> list[dict[str, str]]:
    found = []
    for path in sorted((SHARED / "cases").glob("PH-*")):
        document = _loaded(path)
        data = document.get("data") if isinstance(document, dict) else None
        if isinstance(data, dict) and all(isinstance(value, str) for value in data.values()):
            found.append({str(key): value for key, value in data.items()})
    return found


def _loaded(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)


DATA = [DEFAULT, *_files()]
TEXTS = sorted({text for data in DATA for text in data.values() if len(text) < 4000})
BITS = (
    *"-:#,[]{}&*!|>'\"%@`?~\t\n \\0123456789.eyn=<+_",
    *("\u0085", "\u2028", "\ufeff", "\r\n", "\r", "\x1b", "\u00e4", "\U0001f600", "\u00a0"),
    *("- ", ": ", "---\n", "...\n", "<<: *a\n", "&a ", "*a", "!!str ", "!!binary ", "!x ", "null", "~", "yes", "off"),
    *("%YAML 1.2\n---\n", "Plugins", "pluginref: x", "  ", "\n  ", "0x1f", "0o17", "1e3", ".inf", "1:30", "2026-01-01"),
    *("|\n  ", ">-\n  ", "? ", "{a: b}", "[a, b]", "''", '""', '"\\x41\\u0085"', "9007199254740993", "010", "=", "<<"),
)


@st.composite
def mutations(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A text of the cases with up to four edits."""
    text = draw(texts)
    for _ in range(draw(st.integers(0, 4))):
        text = _edited(text, draw)
    return text


def _edited(text: str, draw: st.DrawFn) -> str:
    start = draw(st.integers(0, len(text)))
    end = min(len(text), start + draw(st.integers(0, 6)))
    kind = draw(st.sampled_from(["insert", "replace", "delete", "copy line", "drop line", "swap case"]))
    bit: str = draw(st.sampled_from(BITS))
    lines: list[str] = text.split("\n")
    number = draw(st.integers(0, len(lines) - 1))
    match kind:
        case "insert":
            return text[:start] + bit + text[start:]
        case "replace":
            return text[:start] + bit + text[end:]
        case "delete":
            return text[:start] + text[end:]
        case "copy line":
            return "\n".join([*lines[:number], lines[number], *lines[number:]])
        case "drop line":
            return "\n".join(lines[:number] + lines[number + 1 :])
        case _:
            return text[:start] + text[start:end].swapcase() + text[end:]


SCALARS = st.one_of(
    st.text(st.sampled_from("0123456789+-._:eExobnfTZtruayslE~<=! '\"#"), max_size=9),
    st.sampled_from(BITS),
    st.integers().map(str),
    st.floats().map(repr),
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A document of the right shape, written in a style of its own, with odd things in it."""
    values = st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8)),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
        max_leaves=6,
    )
    config = yaml.safe_load(draw(st.sampled_from(list(DEFAULT.values()))))
    where = draw(st.sampled_from(["plugins", "profiles", "kind", "extra"]))
    if where in {"plugins", "profiles"} and draw(st.booleans()):
        config[where].append(draw(values))
    else:
        config[where] = draw(values)
    return yaml.safe_dump(
        config,
        default_flow_style=draw(st.sampled_from([None, True, False])),
        default_style=draw(st.sampled_from([None, '"', "'"])),
        allow_unicode=draw(st.booleans()),
        width=draw(st.sampled_from([10, 40, 1000])),
        indent=draw(st.sampled_from([2, 4, 7])),
    )


def test_every_text_of_the_cases_reads_as_the_controllers_read_it(go: Judge) -> None:
    for text in TEXTS:
        assert alike(ours(text)) == alike(go.read(text)), text


def test_every_case_is_decided_as_the_controllers_decide(go: Judge) -> None:
    for data in DATA:
        assert _decided(data) == _told(go.decide(data)), data


@BOUNDED
@given(text=mutations(st.sampled_from(TEXTS)))
def test_a_mutated_text_reads_as_the_controllers_read_it(go: Judge, text: str) -> None:
    assert alike(ours(text)) == alike(go.read(text))


@BOUNDED
@given(scalar=SCALARS)
@example(scalar="=")
def test_a_scalar_reads_as_the_controllers_read_it(go: Judge, scalar: str) -> None:
    for text in (scalar, f"kind: {scalar}\n", f"plugins: [{{type: {scalar}}}]\n", f"{scalar}: x\n"):
        assert alike(ours(text)) == alike(go.read(text))


@BOUNDED
@given(text=documents())
def test_a_written_document_reads_as_the_controllers_read_it(go: Judge, text: str) -> None:
    assert alike(ours(text)) == alike(go.read(text))


@BOUNDED
@given(data=st.sampled_from(DATA), which=st.sampled_from([PRE, MAIN]), edit=st.data())
def test_mutated_data_is_decided_as_the_controllers_decide(
    go: Judge, data: dict[str, str], which: str, edit: st.DataObject
) -> None:
    text = edit.draw(mutations(st.just(data.get(which, ""))))
    changed = {**data, which: text}
    assert _decided(changed) == _told(go.decide(changed))


def _decided(data: dict[str, str]) -> tuple[str, str]:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "payload-processing-plugins"}, "data": data}
    found = fingerprint(body)
    return found.controller, found.baseline or "" if found.controller == "allow" else ""


def _told(answer: dict[str, Any]) -> tuple[str, str]:
    return str(answer["decision"]), str(answer.get("label", ""))
