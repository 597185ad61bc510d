"""What a person should know about a plugins ConfigMap that the controller does not look at."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from migrate.goyaml import (
    DUPLICATE_KEY,
    FIELD_CASE,
    MERGE_KEY,
    MERGE_OVERLAP,
    MORE_DOCUMENTS,
    OTHER_READING,
    REPEATED_FIELD,
    TAG,
    Decoded,
    FieldNote,
    Observation,
    path_text,
)
from migrate.maas.annotations import GITOPS, GITOPS_MANAGERS, LAST_APPLIED, MANAGED, MANAGED_FALSE
from migrate.maas.plugins_baselines import CONFIG_API_VERSION, FEATURE_FIELDS, Config
from migrate.maas.plugins_differences import Path, is_near
from migrate.maas.plugins_judgement import Note
from migrate.maas.resources import CONFIG, MAAS_GROUP

_ACM_MANAGERS: Final = ("multicluster-operators", "klusterlet", "work-agent")
"""
Starts of further field managers of Advanced Cluster Management.

Source: Open Cluster Management, work agent and subscription operator.
"""

_MOST: Final = 20
"""Notes of one code that are kept; a person reads no more."""

_COMPARED: Final = 300
"""References and names that are compared letter by letter, which bounds the time."""

_OBSERVED: Final = {
    DUPLICATE_KEY: "duplicate-key",
    MERGE_KEY: "yaml-merge-key",
    TAG: "yaml-tag",
    MORE_DOCUMENTS: "multi-document",
    OTHER_READING: "parser-gap",
}
_STRICT_OBSERVED: Final = frozenset({DUPLICATE_KEY, MERGE_OVERLAP})


def data_path(key: str, path: Iterable[str | int] = ()) -> str:
    """Return the path of something inside the value of a data key."""
    inside = path_text(path)
    return f"data[{json.dumps(key)}]" + (f".{inside}" if inside and inside[0] != "[" else inside)


def text_warnings(key: str, decoded: Decoded, config: Config, shown: Iterable[Path]) -> list[Note]:
    """
    Return what is notable about one document.

    Args:
        key: Its data key.
        decoded: It as read.
        config: It normalised.
        shown: Paths that are reported as differences; how a value there is read
            can be seen in the difference itself.
    """
    if not decoded.raw:
        return [Note("empty-value", "the document is empty; IPP falls back to a default of its own", data_path(key))]
    notes = [
        *_observed(key, decoded.observations, tuple(shown)),
        *_fields(key, decoded.notes),
        *_header(key, decoded.value),
        *_identifiers(key, config),
    ]
    if _is_strictly_refused(decoded):
        notes.append(Note("strict-reject", "IPP decodes strictly and refuses this at its next start", data_path(key)))
    return _limited(notes)


def _observed(key: str, observations: Iterable[Observation], shown: tuple[Path, ...]) -> Iterator[Note]:
    for observation in observations:
        code = _OBSERVED.get(observation.code)
        hidden = code == "parser-gap" and any(observation.path[: len(path)] == path for path in shown)
        if code and not hidden:
            yield Note(code, observation.message, data_path(key, observation.path))


def _fields(key: str, notes: Iterable[FieldNote]) -> Iterator[Note]:
    for note in notes:
        path = data_path(key, (*note.path, note.name))
        if note.code == FIELD_CASE:
            yield Note("field-case", f"the field name {note.name!a} counts in any case", path)
        elif note.code == REPEATED_FIELD:
            yield Note("duplicate-key", f"the field of {note.name!a} is there in another case too", path)
        elif _is_feature(note):
            yield Note("ipp-feature-field", f"IPP knows {note.name!a}, the fingerprint does not look at it", path)
        else:
            yield Note("unknown-field", f"nobody knows the field {note.name!a}; it is dropped", path)


def _is_feature(note: FieldNote) -> bool:
    return not note.path and note.name.lower() in FEATURE_FIELDS


def _header(key: str, config: Any) -> Iterator[Note]:
    if config["apiVersion"] != CONFIG_API_VERSION:
        found = ascii(config["apiVersion"]) if config["apiVersion"] else "missing"
        yield Note("apiversion-unexpected", f"apiVersion is {found}, not {CONFIG_API_VERSION}", data_path(key))
    if not config["kind"]:
        yield Note("kind-missing", "kind is missing; the fingerprint lets that pass", data_path(key))


def _is_strictly_refused(decoded: Decoded) -> bool:
    return (
        any(observation.code in _STRICT_OBSERVED for observation in decoded.observations)
        or any(not _is_feature(note) for note in decoded.notes)
        or decoded.value["apiVersion"] != CONFIG_API_VERSION
        or not decoded.value["kind"]
    )


def _identifiers(key: str, config: Config) -> Iterator[Note]:
    names = dict.fromkeys(plugin["name"] for plugin in config["plugins"])
    for index, plugin in enumerate(config["plugins"]):
        for field, value in (("type", plugin["type"]), ("name", plugin["name"]), *_keys(plugin["parameters"])):
            if not value.isascii():
                place = data_path(key, ("plugins", index, field))
                yield Note("non-ascii-identifier", f"{value!a} holds a character outside ASCII", place)
    for path, ref in _refs(config):
        if not ref.isascii():
            yield Note("non-ascii-identifier", f"{ref!a} holds a character outside ASCII", data_path(key, path))
    unknown = ((path, ref) for path, ref in _refs(config) if ref and ref not in names)
    for path, ref in islice(unknown, _COMPARED):
        # A near miss is told as one; there the reference is not the mistake.
        if not any(is_near(ref, name) for name in islice(names, _COMPARED)):
            yield Note("dangling-ref", f"no plugin is called {ref!a}", data_path(key, path))


def _keys(parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [("parameters", name) for name in parameters]


def _refs(config: Config) -> Iterator[tuple[Path, str]]:
    for number, profile in enumerate(config["profiles"]):
        for chain in ("request", "response"):
            for index, ref in enumerate(profile[chain]):
                yield ("profiles", number, "plugins", chain, index), ref


def _limited(notes: Iterable[Note]) -> list[Note]:
    kept: dict[str, int] = {}
    result = []
    for note in dict.fromkeys(notes):
        kept[note.code] = kept.get(note.code, 0) + 1
        if kept[note.code] <= _MOST:
            result.append(note)
    return result


def object_warnings(config_map: Mapping[str, Any], *, is_ipp: bool) -> list[Note]:
    """Return what is notable about the object around the data; *is_ipp* when IPP's documents are in it."""
    metadata = _mapping(config_map.get("metadata"))
    notes = [*_contents(config_map), *_owners(metadata), *_gitops(metadata)]
    notes += _last_applied(config_map, _mapping(metadata.get("annotations")))
    if is_ipp:
        notes += _managed(_mapping(metadata.get("annotations")))
    if metadata.get("deletionTimestamp"):
        notes.append(Note("terminating", "the object is being deleted", "metadata.deletionTimestamp"))
    return _limited(notes)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _contents(config_map: Mapping[str, Any]) -> Iterator[Note]:
    binary = config_map.get("binaryData")
    if binary:
        keys = ", ".join(ascii(key) for key in binary) if isinstance(binary, Mapping) else "in a form of its own"
        yield Note("binarydata-present", f"binaryData ({keys}) is not compared and goes with the object", "binaryData")
    if config_map.get("immutable"):
        yield Note("immutable", "the object is immutable: only delete and create changes it", "immutable")


def _owners(metadata: Mapping[str, Any]) -> Iterator[Note]:
    for index, item in enumerate(_list(metadata.get("ownerReferences"))):
        owner = _mapping(item)
        group = str(owner.get("apiVersion", "")).rpartition("/")[0]
        if group != MAAS_GROUP or owner.get("kind") != CONFIG.kind:
            name = ascii(f"{owner.get('kind')}/{owner.get('name')}")
            path = f"metadata.ownerReferences[{index}]"
            yield Note("owner-reference", f"{name} owns the object and may take it along", path)


def _gitops(metadata: Mapping[str, Any]) -> Iterator[Note]:
    for part in ("labels", "annotations"):
        for key in _mapping(metadata.get(part)):
            tool = next((tool for prefix, tool in GITOPS if str(key).startswith(prefix)), None)
            if tool:
                yield Note("gitops-managed", f"{key!a} says that {tool} tracks the object", f"metadata.{part}")
    managers = (*GITOPS_MANAGERS, *((prefix, "Advanced Cluster Management") for prefix in _ACM_MANAGERS))
    for item in _list(metadata.get("managedFields")):
        manager = str(_mapping(item).get("manager", ""))
        tool = next((tool for prefix, tool in managers if manager.startswith(prefix)), None)
        if tool:
            yield Note("gitops-managed", f"{tool} writes the object as {manager!a}", "metadata.managedFields")


def _last_applied(config_map: Mapping[str, Any], annotations: Mapping[str, Any]) -> Iterator[Note]:
    text = annotations.get(LAST_APPLIED)
    if text is None:
        return
    try:
        applied = _mapping(json.loads(text))
    except (TypeError, ValueError, RecursionError):
        applied = {}
    for part in ("data", "binaryData", "immutable"):
        if (applied.get(part) or None) != (config_map.get(part) or None):
            message = f"{part} of the configuration applied last is not what is live; apply would bring it back"
            yield Note("last-applied-differs", message, f'metadata.annotations["{LAST_APPLIED}"]')
            return


def _managed(annotations: Mapping[str, Any]) -> Iterator[Note]:
    value = annotations.get(MANAGED)
    path = f'metadata.annotations["{MANAGED}"]'
    if value is None:
        yield Note("managed-absent", "without this annotation the controller resets the content once", path)
    elif value != MANAGED_FALSE:
        message = f"with the value {value!a} the controller resets the content again and again"
        yield Note("managed-not-false", message, path)
