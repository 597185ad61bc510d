"""The JSON Schemas that are shipped are those of the types, and say what they should of a document."""

import msgspec
import pytest
from jsonschema import Draft202012Validator

from migrate.commands.documents import DOCUMENTS
from tests.make_schemas import FOLDER, text_of


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_shipped_schema_is_that_of_the_type(name: str) -> None:
    shipped = (FOLDER / f"{name}.json").read_text(encoding="utf-8")

    assert shipped == text_of(name), "run python -m tests.make_schemas"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_schema_is_one_and_fixes_format_and_version(name: str) -> None:
    schema = msgspec.json.decode((FOLDER / f"{name}.json").read_bytes())

    Draft202012Validator.check_schema(schema)
    own = schema["$defs"][schema["$ref"].rpartition("/")[2]]["properties"]
    assert (own["format"]["enum"], own["version"]["enum"]) == ([f"maas-migrate/{name}"], [1])
    assert list(own)[:2] == ["format", "version"]


def test_nothing_else_is_shipped() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(DOCUMENTS)
