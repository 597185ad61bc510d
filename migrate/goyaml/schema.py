"""Go types, as far as a decoder asks for them."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """A Go string."""


@dataclass(frozen=True, slots=True)
class AnyMap:
    """A Go map from strings to anything."""


@dataclass(frozen=True, slots=True)
class Struct:
    """
    A Go struct.

    Attributes:
        fields: The type of each field by its JSON name, in the order of the struct.
    """

    fields: Mapping[str, "GoType"]

    def find(self, key: str) -> str | None:
        """Return the field that a JSON *key* goes to: the exact one, else the first that differs in case only."""
        if key in self.fields:
            return key
        folded = fold(key)
        return next((name for name in self.fields if fold(name) == folded), None)


@dataclass(frozen=True, slots=True)
class Slice:
    """
    A Go slice.

    Attributes:
        element: The type of its elements.
    """

    element: "GoType"


GoType = Text | AnyMap | Struct | Slice


def fold(name: str) -> str:
    """
    Return *name* in the one case in which encoding/json compares field names.

    Only ASCII letters have other cases, apart from the long s and the Kelvin sign.

    Source: Go encoding/json ``fold.go``; sigs.k8s.io/yaml 1.6.0 ``fields.go``.
    """
    ascii_name = name.replace("\u017f", "s").replace("\u212a", "k")
    return ascii_name.lower() if ascii_name.isascii() else ascii_name
