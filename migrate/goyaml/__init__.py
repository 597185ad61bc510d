"""
YAML as the controllers read it: sigs.k8s.io/yaml 1.6.0 on go.yaml.in/yaml/v2.

What lives here: a scanner, a parser, the types of scalars and the filling of Go
structs, each with the rules of the Go libraries where they leave the YAML
specification, and a note of what other readers would see. Every bound is
stated, and depth costs no Python stack.

What never does: a name of MaaS, a file, a network, a verdict.
"""

from migrate.goyaml.canonical import canonical
from migrate.goyaml.decoder import FIELD_CASE, REPEATED_FIELD, UNKNOWN_FIELD, FieldNote
from migrate.goyaml.errors import ExcessiveAliasError, GoYamlError, IncompatibleVersionError, TooLargeError
from migrate.goyaml.observations import (
    DUPLICATE_KEY,
    MERGE_KEY,
    MERGE_OVERLAP,
    MORE_DOCUMENTS,
    OTHER_READING,
    TAG,
    Observation,
    path_text,
)
from migrate.goyaml.reading import Decoded, Document, read, read_as
from migrate.goyaml.schema import AnyMap, GoType, Slice, Struct, Text

__all__ = [
    "DUPLICATE_KEY",
    "FIELD_CASE",
    "MERGE_KEY",
    "MERGE_OVERLAP",
    "MORE_DOCUMENTS",
    "OTHER_READING",
    "REPEATED_FIELD",
    "TAG",
    "UNKNOWN_FIELD",
    "AnyMap",
    "Decoded",
    "Document",
    "ExcessiveAliasError",
    "FieldNote",
    "GoType",
    "GoYamlError",
    "IncompatibleVersionError",
    "Observation",
    "Slice",
    "Struct",
    "Text",
    "TooLargeError",
    "canonical",
    "path_text",
    "read",
    "read_as",
]
