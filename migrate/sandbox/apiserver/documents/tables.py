"""Tables: what ``kubectl get`` prints, laid out by the server."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from migrate.sandbox.apiserver.protocol.values import Document, dig, metadata_of, name_of
from migrate.sandbox.apiserver.resources.resource import Column, Resource

_NAME: Final = Column(name="Name", path=".metadata.name", format="name", description="Name of the object.")
_STEP: Final = re.compile(
    r"\.?(?P<field>[\w-]+)|\[(?P<index>-?\d+|\*)\]|\[['\"](?P<quoted>[^'\"]+)['\"]\]"
    r"|\[\?\(@\.(?P<key>[\w.-]+)\s*==\s*['\"](?P<value>[^'\"]*)['\"]\)\]"
)
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def table(
    resource: Resource, items: Sequence[Document], metadata: Document, *, now: datetime, include: str
) -> Document:
    """
    Return *items* as a Table.

    Args:
        resource: Says which columns there are.

        items: The objects, one a row.

        metadata: Of the list.

        now: For the ages.

        include: How much of each object a row carries: ``None``, ``Metadata`` or ``Object``.
    """
    columns = (_NAME, *resource.columns)
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": [_definition(column) for column in columns],
        "rows": [_row(resource, item, now, include) for item in items],
    }


def _definition(column: Column) -> Document:
    return {
        "name": column.name,
        "type": "string" if column.type == "date" and column.path.startswith("~") else column.type,
        "format": column.format,
        "description": column.description or f"The field {column.path}.",
        "priority": column.priority,
    }


def _row(resource: Resource, item: Document, now: datetime, include: str) -> Document:
    absent = None if resource.custom else "<none>"
    row: Document = {"cells": [_cell(column, item, now, absent) for column in (_NAME, *resource.columns)]}
    if include == "Object":
        row["object"] = item
    elif include != "None":
        head = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1"}
        row["object"] = {**head, "metadata": item.get("metadata")}
    return row


def _cell(column: Column, item: Document, now: datetime, absent: str | None) -> Any:
    if column.path.startswith("~"):
        name, _, argument = column.path[1:].partition(":")
        return _COMPUTED[name](item, argument)
    found = find_path(item, column.path)
    value = found[0] if found else None
    if column.type == "date":
        return _age(value, now)
    if value is None:
        return absent
    if column.type == "string" and not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return value


def find_path(item: Any, path: str) -> list[Any]:
    """Return the values that the JSONPath *path* of a printer column finds."""
    found = [item]
    for step in _STEP.finditer(path.replace("\\.", "\0")):
        found = [inner for value in found for inner in _follow(step, value)]
    return found


def _follow(step: re.Match[str], value: Any) -> list[Any]:
    name = step["field"] or step["quoted"]
    if name is not None:
        name = name.replace("\0", ".")
        return [value[name]] if isinstance(value, dict) and name in value else []
    if not isinstance(value, list):
        return []
    if step["key"] is not None:
        return [item for item in value if dig(item, *step["key"].split(".")) == step["value"]]
    if step["index"] == "*":
        return value
    index = int(step["index"])
    return [value[index]] if -len(value) <= index < len(value) else []


def _age(value: Any, now: datetime) -> str:
    if not isinstance(value, str):
        return "<unknown>"
    try:
        then = datetime.fromisoformat(value)
    except ValueError:
        return "<unknown>"
    seconds = int((now - then.astimezone(UTC)).total_seconds())
    if seconds < 2 * _MINUTE:
        return f"{max(seconds, 0)}s"
    if seconds < 2 * _HOUR:
        return f"{seconds // _MINUTE}m"
    if seconds < 2 * _DAY:
        return f"{seconds // _HOUR}h"
    return f"{seconds // _DAY}d"


def _first(item: Document, path: str) -> Any:
    found = find_path(item, path)
    return found[0] if found else None


def _count(item: Document, paths: str) -> int:
    return sum(len(_first(item, path) or ()) for path in paths.split(","))


def _of(item: Document, paths: str) -> str:
    done, wanted = (_first(item, path) or 0 for path in paths.split(","))
    return f"{done}/{wanted}"


def _map(item: Document, path: str) -> str:
    return ",".join(f"{key}={value}" for key, value in (_first(item, path) or {}).items()) or "<none>"


def _ready(item: Document, _: str) -> str:
    states = dig(item, "status", "containerStatuses", default=[])
    wanted = len(dig(item, "spec", "containers", default=[]))
    return f"{sum(bool(state.get('ready')) for state in states)}/{wanted}"


def _restarts(item: Document, _: str) -> int:
    return sum(state.get("restartCount", 0) for state in dig(item, "status", "containerStatuses", default=[]))


def _ports(item: Document, _: str) -> str:
    ports = dig(item, "spec", "ports", default=[])
    return ",".join(f"{port.get('port')}/{port.get('protocol', 'TCP')}" for port in ports) or "<none>"


def _object(item: Document, _: str) -> str:
    about = item.get("involvedObject") or {}
    return f"{str(about.get('kind', '')).lower()}/{about.get('name', '')}"


def _role(item: Document, _: str) -> str:
    role = item.get("roleRef") or {}
    return f"{role.get('kind', '')}/{role.get('name', '')}"


def _condition(item: Document, kind: str) -> str:
    for each in dig(item, "status", "conditions", default=[]):
        if each.get("type") == kind:
            return kind if each.get("status") == "True" else f"Not{kind}"
    return "Unknown"


def _job_status(item: Document, _: str) -> str:
    for each in dig(item, "status", "conditions", default=[]):
        if each.get("type") in {"Complete", "Failed", "Suspended"} and each.get("status") == "True":
            return str(each["type"])
    return "Terminating" if metadata_of(item).get("deletionTimestamp") else "Running"


def _scale_target(item: Document, _: str) -> str:
    about = dig(item, "spec", "scaleTargetRef", default={})
    return f"{about.get('kind', '')}/{about.get('name', name_of(item))}"


_COMPUTED: Final[Mapping[str, Callable[[Document, str], Any]]] = {
    "count": _count,
    "of": _of,
    "map": _map,
    "join": lambda item, path: ",".join(str(value) for value in find_path(item, path)),
    "zero": lambda item, path: _first(item, path) or 0,
    "false": lambda item, path: str(bool(_first(item, path))),
    "ready": _ready,
    "restarts": _restarts,
    "ports": _ports,
    "object": _object,
    "role": _role,
    "condition": _condition,
    "jobstatus": _job_status,
    "scaletarget": _scale_target,
}
