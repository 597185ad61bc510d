"""
Goal: the reader answers every text, with a value or with its one error, and what means the same is judged the same.

Method: texts out of the words of YAML, shipped documents with cuts and copies in
them, and values written down in several ways.
"""

import json
import random
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.goyaml import GoYamlError, canonical, read
from migrate.maas.plugins_config import judge

SHIPPED = yaml.safe_load((Path(__file__).parents[1] / "data" / "cases" / "PH-01-as-shipped.yaml").read_text())
PRE, POST = SHIPPED["data"]
SIGNS = list("ab[]{},'\"#|>=%@`~\\ \t\n\x07\x85\u2028\ufeffé")
WORDS = st.sampled_from([
    *SIGNS, "0x1", "yes", "null", "1.5", "- ", "? ", ": ", ":", " #", "&x ", "*x", "!!str ", "!t ", "<<: ", "\\n",
    "\n  ", "\n- ", "\r\n", "|-\n", ">\n", "---\n", "...\n", "%YAML 1.1\n",
])  # fmt: skip
TEXTS = st.lists(WORDS, max_size=15).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc<-", max_size=3), inner, max_size=3),
    max_leaves=8,
)
MODEST = settings(max_examples=150, deadline=None)


@MODEST
@given(TEXTS | st.text(max_size=30))
def test_every_text_gives_a_value_or_the_one_error(text: str) -> None:
    try:
        value = read(text).value
    except GoYamlError:
        return

    json.loads(canonical(value))


@MODEST
@given(st.sampled_from([PRE, POST]), st.integers(0, 900), st.integers(0, 30), TEXTS)
def test_every_damaged_document_is_judged(key: str, place: int, cut: int, inserted: str) -> None:
    text = SHIPPED["data"][key]
    damaged = text[:place] + inserted + text[place + cut :]

    judgement = judge(SHIPPED | {"data": SHIPPED["data"] | {key: damaged}})

    assert judgement.verdict in {"default", "default+response-api-translation", "custom-blocked", "invalid"}
    assert (judgement.controller == "allow") == (judgement.baseline is not None)


@MODEST
@given(JSON)
def test_json_is_read_as_json(value: Any) -> None:
    # Go knows no escape of "/" and of half a character, so the text is written without escapes.
    text = json.dumps(value, ensure_ascii=True)
    if "\\u" in text or "<<" in text:
        return

    assert canonical(read(text).value) == canonical(value)


def shuffled(value: Any, seed: random.Random) -> Any:
    if isinstance(value, dict):
        keys = list(value)
        seed.shuffle(keys)
        return {key: shuffled(value[key], seed) for key in keys}
    return [shuffled(item, seed) for item in value] if isinstance(value, list) else value


@MODEST
@given(st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_keys_changes_neither_verdict_nor_digest(seed: random.Random, flow: bool) -> None:
    documents = {key: shuffled(yaml.safe_load(text), seed) for key, text in SHIPPED["data"].items()}
    data = {key: yaml.safe_dump(value, sort_keys=False, default_flow_style=flow) for key, value in documents.items()}

    judgement = judge(SHIPPED | {"data": data})

    assert judgement.verdict == "default"
    assert judgement.digest == judge(SHIPPED).digest
