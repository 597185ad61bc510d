"""Kubernetes objects as JSON, and references to them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NewType, dataclass_transform

import msgspec

Json = dict[str, Any]
RunId = NewType("RunId", str)
StepId = NewType("StepId", str)

MISSING: Final = object()
"""Stands for "there is no such field", which is not the same as null."""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The base of every record: frozen, by keyword, camelCase in JSON, unknown fields refused."""


class ObjectRef(msgspec.Struct, frozen=True, order=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """
    Which object.

    Attributes:
        api_version: As in the object, ``v1`` or ``group/version``.

        kind: As in the object.

        namespace: ``""`` for a cluster-scoped object.

        name: The object's name.
    """

    api_version: str
    kind: str
    namespace: str = ""
    name: str

    @property
    def group(self) -> str:
        """The API group, ``""`` for the core group."""
        return group_of(self.api_version)

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {where}{self.name}"


class Query(Record, kw_only=True):
    """
    One question to the cluster: an object by name, or a list.

    Attributes:
        group: API group, ``""`` for core.

        kind: The kind asked for.

        namespace: ``""`` asks in all namespaces, or for a cluster-scoped object.

        name: ``""`` asks for a list.

        label_selector: Narrows a list.

        fields: Paths kept besides ``apiVersion``, ``kind`` and ``metadata``
            (``("spec",)``, ``("status", "conditions")``); none keeps everything.
    """

    group: str
    kind: str
    namespace: str = ""
    name: str = ""
    label_selector: str = ""
    fields: tuple[tuple[str, ...], ...] = ()

    def __str__(self) -> str:
        where = self.namespace or "all namespaces"
        return (
            f"{self.kind} {self.namespace + '/' if self.namespace else ''}{self.name}"
            if self.name
            else (f"list of {self.kind} in {where}" + (f" with {self.label_selector}" if self.label_selector else ""))
        )


def group_of(api_version: str) -> str:
    """Return the group of an ``apiVersion``."""
    return api_version.rpartition("/")[0]


def get_in(value: Any, *path: str, default: Any = None) -> Any:
    """Return the value at *path* of nested mappings; *default* where a part is missing or not a mapping."""
    for part in path:
        # A dict is told apart without asking the ABC.
        if not (type(value) is dict or isinstance(value, Mapping)) or part not in value:
            return default
        value = value[part]
    return value


def shown(value: Any) -> str:
    """Return a value for a person, as the cluster writes it; ``absent`` for none."""
    if value is None or value is MISSING:
        return "absent"
    return json.dumps(value, ensure_ascii=False, default=repr)


_OF_THE_GARBAGE_COLLECTOR = frozenset({"foregroundDeletion", "orphan"})


class KubeObject:
    """
    One object as read. Never changed; ``raw`` is the JSON as the server gave it.

    Every property tolerates an object that is not what it should be: it then
    gives the empty value of its type.
    """

    __slots__ = ("raw",)

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KubeObject) and self.raw == other.raw

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self.ref}>"

    def get(self, *path: str, default: Any = None) -> Any:
        """Return the value at *path*, or *default*."""
        return get_in(self.raw, *path, default=default)

    def _text(self, *path: str) -> str:
        value = get_in(self.raw, *path)
        return value if isinstance(value, str) else ""

    def _map(self, *path: str) -> Mapping[str, Any]:
        value = self.get(*path)
        return value if isinstance(value, Mapping) else {}

    def _texts(self, *path: str) -> Mapping[str, str]:
        value = self._map(*path)
        if all(isinstance(text, str) for text in value.values()):
            return value
        return {key: text for key, text in value.items() if isinstance(text, str)}

    @property
    def ref(self) -> ObjectRef:
        """The reference that names this object."""
        return ObjectRef(api_version=self.api_version, kind=self.kind, namespace=self.namespace, name=self.name)

    @property
    def api_version(self) -> str:
        """``apiVersion``."""
        return self._text("apiVersion")

    @property
    def group(self) -> str:
        """The API group."""
        return group_of(self.api_version)

    @property
    def kind(self) -> str:
        """``kind``."""
        return self._text("kind")

    @property
    def name(self) -> str:
        """``metadata.name``."""
        return self._text("metadata", "name")

    @property
    def namespace(self) -> str:
        """``metadata.namespace``, ``""`` when cluster-scoped."""
        return self._text("metadata", "namespace")

    @property
    def uid(self) -> str:
        """``metadata.uid``."""
        return self._text("metadata", "uid")

    @property
    def resource_version(self) -> str:
        """``metadata.resourceVersion``."""
        return self._text("metadata", "resourceVersion")

    @property
    def generation(self) -> int:
        """``metadata.generation``, 0 when there is none."""
        value = self.get("metadata", "generation")
        return value if isinstance(value, int) else 0

    @property
    def labels(self) -> Mapping[str, str]:
        """``metadata.labels``."""
        return self._texts("metadata", "labels")

    @property
    def annotations(self) -> Mapping[str, str]:
        """``metadata.annotations``."""
        return self._texts("metadata", "annotations")

    @property
    def is_deleting(self) -> bool:
        """Whether it has a deletionTimestamp."""
        return bool(self.get("metadata", "deletionTimestamp"))

    @property
    def finalizers(self) -> tuple[str, ...]:
        """``metadata.finalizers`` without those that the garbage collector serves itself."""
        value = self.get("metadata", "finalizers")
        named = (str(entry) for entry in value) if isinstance(value, list) else ()
        return tuple(name for name in named if name not in _OF_THE_GARBAGE_COLLECTOR)

    @property
    def managed_fields(self) -> tuple[Mapping[str, Any], ...]:
        """The entries of ``metadata.managedFields`` that are maps."""
        value = self.get("metadata", "managedFields")
        return tuple(entry for entry in value if isinstance(entry, Mapping)) if isinstance(value, list) else ()

    @property
    def managers(self) -> frozenset[str]:
        """The names of all field managers."""
        return frozenset(str(entry.get("manager", "")) for entry in self.managed_fields)

    @property
    def owners(self) -> tuple[Mapping[str, Any], ...]:
        """The entries of ``metadata.ownerReferences`` that are maps."""
        value = self.get("metadata", "ownerReferences")
        return tuple(entry for entry in value if isinstance(entry, Mapping)) if isinstance(value, list) else ()

    def condition(self, condition_type: str) -> Mapping[str, Any] | None:
        """Return the status condition of that type, or None."""
        conditions = self.get("status", "conditions")
        for condition in conditions if isinstance(conditions, list) else ():
            if isinstance(condition, Mapping) and condition.get("type") == condition_type:
                return condition
        return None


def walk(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every leaf of nested mappings with its path; a list, and an empty mapping, is a leaf."""
    if isinstance(value, Mapping) and value:
        for key in sorted(value):
            yield from walk(value[key], (*path, str(key)))
    else:
        yield path, value
