"""One resource as one version serves it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from migrate.sandbox.apiserver.protocol.values import Document
from migrate.sandbox.apiserver.storage.store import StorageKey

ALL_VERBS: Final = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")

COMMON_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "metadata.name": ("metadata", "name"),
    "metadata.namespace": ("metadata", "namespace"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One printer column; *path* is a JSONPath as in a CRD."""

    name: str
    path: str
    type: str = "string"
    format: str = ""
    priority: int = 0
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """
    What there is to know about the objects of one group, version and plural.

    Attributes:
        schema: Their schema, references resolved; None where any document will do.

        rules: The parts of the schema that hold CEL rules, or None.

        custom: Whether a CRD defined it.

        subresources: Names such as ``status``, ``scale`` and ``finalize``.

        generation: What counts as a change of generation: the spec, all but metadata
            (and status), or nothing.

        fields: What field selectors may name.

        unconditional: Whether an update may leave out the resourceVersion.

        created_by_update: Whether an update of an absent object creates it.

        scale: The JSON paths of a CRD's scale subresource.
    """

    group: str
    version: str
    plural: str
    singular: str
    kind: str
    list_kind: str
    namespaced: bool
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS
    subresources: tuple[str, ...] = ()
    schema: Document | None = None
    rules: Document | None = None
    custom: bool = False
    generation: Literal["spec", "all", "none"] = "none"
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: COMMON_FIELDS)
    columns: tuple[Column, ...] = ()
    unconditional: bool = True
    created_by_update: bool = False
    scale: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> StorageKey:
        """Where the objects lie."""
        return StorageKey(self.group, self.plural)

    @property
    def api_version(self) -> str:
        """Group and version as an object spells them."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def has(self, subresource: str) -> bool:
        """Whether there is such a *subresource*."""
        return subresource in self.subresources
