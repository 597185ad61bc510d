"""
The reader against answers of the Go libraries, written down as data.

Each row of ``answers.json`` is one text; what sigs.k8s.io/yaml 1.6.0 on
go.yaml.in/yaml/v2 2.4.4 made of it with Go 1.26: ``json``, or ``refused``; and
``struct`` when a PayloadProcessorConfig came out that is not empty, or ``misfit``.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from migrate.goyaml import AnyMap, GoYamlError, Slice, Struct, Text, read, read_as

ROWS = json.loads((Path(__file__).parent / "answers.json").read_text())
REFS = Slice(Struct({"pluginRef": Text()}))
CONFIG = Struct(
    {
        "apiVersion": Text(),
        "kind": Text(),
        "plugins": Slice(Struct({"type": Text(), "name": Text(), "parameters": AnyMap()})),
        "profiles": Slice(Struct({"name": Text(), "plugins": Struct({"request": REFS, "response": REFS})})),
    }
)
EMPTY: dict[str, Any] = {"apiVersion": "", "kind": "", "plugins": None, "profiles": None}
CHUNKS = [pytest.param(ROWS[start : start + 100], id=f"from-{start}") for start in range(0, len(ROWS), 100)]


def tagged(value: Any) -> Any:
    """Make booleans and numbers unequal, and numbers equal as 64-bit floats are."""
    if isinstance(value, dict):
        return {key: tagged(item) for key, item in value.items()}
    if isinstance(value, list):
        return [tagged(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return ("number", float(value))


def read_or_none(text: str) -> tuple[Any, bool]:
    try:
        return read(text).value, False
    except GoYamlError:
        return None, True


def decode_or_none(text: str) -> tuple[Any, bool]:
    try:
        return read_as(text, CONFIG).value, False
    except GoYamlError:
        return None, True


def omitting_empty(config: dict[str, Any]) -> dict[str, Any]:
    """Leave out an empty name and empty parameters, as the Go struct does when it is written."""
    plugins = config["plugins"] and [
        {key: value for key, value in plugin.items() if value or key == "type"} for plugin in config["plugins"]
    ]
    return config | {"plugins": plugins}


def test_the_table_has_not_shrunk() -> None:
    assert len(ROWS) == 2051


@pytest.mark.parametrize("rows", CHUNKS)
def test_every_text_reads_as_the_controllers_read_it(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        value, refused = read_or_none(row["text"])

        assert refused == row.get("refused", False), row
        assert tagged(value) == tagged(row.get("json")), row


@pytest.mark.parametrize("rows", CHUNKS)
def test_every_text_fills_the_struct_as_the_controllers_fill_it(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        value, misfit = decode_or_none(row["text"])

        assert misfit == row.get("misfit", False), row
        if value is not None:
            assert tagged(omitting_empty(value)) == tagged(row.get("struct", EMPTY)), row
