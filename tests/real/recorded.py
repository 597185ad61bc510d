"""
A recorded 3.5 installation: what people and other operators put there, and what the product itself wrote.

The first part is seeded into a fresh server, the second is compared with what the played controllers write.
"""

import copy
import functools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from migrate.sandbox.seeding import identity, load_objects

Json = dict[str, Any]
Key = tuple[str, str, str, str]
"""Group, kind, namespace and name."""

PRODUCT: Final = frozenset({"manager", "maas-controller"})
"""The field managers of maas-controller. Source: contract 2.3."""
PEOPLE: Final = frozenset({"kubectl-client-side-apply", "opendatahub-operator"})
"""The field managers of whoever set the cluster up."""
SERVERS_OWN: Final = frozenset({"uid", "resourceVersion", "creationTimestamp", "managedFields", "name", "namespace"})
ADDRESSES: Final = frozenset({"clusterIP", "clusterIPs"})
"""Of a Service: any free one."""
LEFT_OUT: Final = frozenset({"'left out'", "# left out\n"})
"""What stands in the recording in place of program text."""


@functools.cache
def objects_in(folder: Path) -> tuple[Json, ...]:
    """Return every object of a recording; nobody may change them."""
    return tuple(load_objects([folder]).objects)


def seeds_of(recorded: Iterable[Json]) -> Iterator[Json]:
    """Yield what was there before the product wrote anything: objects of people, without what others added."""
    for found in recorded:
        authors = {entry["manager"] for entry in _entries(found)}
        if not authors & PEOPLE and found["kind"] != "Config":
            continue
        seed = copy.deepcopy(found)
        seed["metadata"] = _metadata_of_people(found)
        if authors - PEOPLE:
            seed.pop("status", None)
        if seed["kind"] == "MaaSSubscription":
            for field in ("groups", "users"):  # The generation says that the product left the empty ones out.
                seed["spec"]["owner"].setdefault(field, [])
        yield seed


def written_by_the_product(objects: Iterable[Json]) -> dict[Key, Json]:
    """Return the objects that maas-controller wrote to, brought to a form that can be compared."""
    return {key_of(found): essence(found) for found in objects if _managers(found)}


def key_of(found: Json) -> Key:
    """Return what names an object."""
    metadata = found["metadata"]
    return identity(found)[0], found["kind"], metadata.get("namespace", ""), metadata["name"]


def essence(found: Json) -> Json:
    """Return an object without what the server adds: the product's managers, owners by name, the product's status."""
    made = {key: value for key, value in found.items() if key not in {"apiVersion", "kind", "metadata"}}
    metadata = {key: value for key, value in found["metadata"].items() if key not in SERVERS_OWN and value}
    if found["kind"] == "TokenRateLimitPolicy":  # It grows with each subscription, in as many steps as time allows.
        metadata.pop("generation", None)
    metadata["ownerReferences"] = {
        f"{owner['kind']}/{owner['name']}": {key: owner.get(key, False) for key in ("controller", "blockOwnerDeletion")}
        for owner in metadata.get("ownerReferences") or []
    }
    metadata["managers"] = sorted(_managers(found))
    status = made.pop("status", {})
    if any("/status" in entry for entry in metadata["managers"]):
        made["status"] = _told(status)
    if found["kind"] == "Service":
        made["spec"] = {key: value for key, value in made["spec"].items() if key not in ADDRESSES}
    if found["kind"] == "ConfigMap":  # The comments in a document are nobody's business.
        made["data"] = {key: yaml.safe_load(text) for key, text in (made.get("data") or {}).items()}
    return {"metadata": metadata, "apiVersion": found["apiVersion"], **made}


def differences(recorded: Any, played: Any, at: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield path, recorded and played value wherever two values differ; None where there is nothing."""
    if isinstance(recorded, dict) and isinstance(played, dict):
        for key in sorted(recorded.keys() | played.keys()):
            yield from differences(recorded.get(key), played.get(key), f"{at}.{key}" if at else key)
    elif isinstance(recorded, list) and isinstance(played, list) and len(recorded) == len(played):
        for index, (one, other) in enumerate(zip(recorded, played, strict=True)):
            yield from differences(one, other, f"{at}[{index}]")
    elif recorded != played and not (isinstance(played, str) and recorded in LEFT_OUT):
        yield at, recorded, played


def _entries(found: Json) -> list[Json]:
    return found["metadata"].get("managedFields") or []


def _managers(found: Json) -> set[str]:
    return {
        f"{entry['manager']}/{entry['operation']}" + (f"/{entry['subresource']}" if entry.get("subresource") else "")
        for entry in _entries(found)
        if entry["manager"] in PRODUCT
    }


def _metadata_of_people(found: Json) -> Json:
    made = {key: found["metadata"][key] for key in ("name", "namespace") if found["metadata"].get(key)}
    for part in ("labels", "annotations"):
        others = {
            field.removeprefix("f:")
            for entry in _entries(found)
            if entry["manager"] not in PEOPLE
            for field in entry["fieldsV1"].get("f:metadata", {}).get(f"f:{part}", {})
        }
        kept = {key: value for key, value in (found["metadata"].get(part) or {}).items() if key not in others}
        made |= {part: kept} if kept else {}
    return made


def _told(status: Json) -> Json:
    """Return a status with its conditions by type: times move, and messages are in each build's own words."""
    made = {key: value for key, value in status.items() if key != "conditions"}
    conditions = status.get("conditions") or []
    made["conditions"] = {entry["type"]: f"{entry['status']} {entry.get('reason', '')}" for entry in conditions}
    return made
