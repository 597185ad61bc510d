"""From text to value: the functions that other rooms call."""

from dataclasses import dataclass
from typing import Any

from migrate.goyaml.decoder import Decoder, FieldNote
from migrate.goyaml.jsonable import to_json
from migrate.goyaml.nodes import compose
from migrate.goyaml.observations import MORE_DOCUMENTS, OTHER_READING, Observation
from migrate.goyaml.schema import GoType
from migrate.goyaml.source import open_source
from migrate.goyaml.values import Evaluation


@dataclass(frozen=True, slots=True)
class Document:
    """
    The first document of a text.

    Attributes:
        value: It as JSON: dict, list, str, bool, int, float or None.

        observations: What was noticed while reading.
    """

    value: Any
    observations: tuple[Observation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """
    The first document of a text in a Go type.

    Attributes:
        value: The struct as a dict that has every field.

        raw: The JSON from which it was decoded.

        notes: The keys that were dropped, folded or repeated.

        observations: What was noticed while reading.
    """

    value: Any
    raw: Any
    notes: tuple[FieldNote, ...]
    observations: tuple[Observation, ...]


def read(text: str, schema: GoType | None = None) -> Document:
    """
    Read the first document of *text* as the controllers do.

    With a *schema*, numbers and booleans become text where it wants text.

    Raises:
        GoYamlError: The controllers refuse the text.
        TooLargeError: The text is larger than this reader undertakes to read.
    """
    source = open_source(text)
    tree = compose(source)
    evaluation = Evaluation()
    value = None if tree.root is None else evaluation.run(tree.root)
    observations = evaluation.observations
    if source.doubled_bom:
        message = "a second byte order mark makes the controllers' reader lose characters"
        observations.append(Observation(OTHER_READING, message, (), 1))
    if tree.has_more:
        observations.append(Observation(MORE_DOCUMENTS, "text stands behind the first document and is not read", (), 0))
    return Document(to_json(value, schema), tuple(observations))


def read_as(text: str, schema: GoType) -> Decoded:
    """
    Read the first document of *text* into *schema*.

    Raises:
        GoYamlError: The controllers refuse the text, or it does not fit.
        TooLargeError: The text is larger than this reader undertakes to read.
    """
    document = read(text, schema)
    decoder = Decoder()
    value = decoder.decode(schema, document.value)
    return Decoded(value=value, raw=document.value, notes=tuple(decoder.notes), observations=document.observations)
