"""
Manifests from files into objects that a sandbox can be seeded with.

Files and folders of YAML or JSON, List objects included. What belonged to the
cluster they were read from (uid, resourceVersion, times of managedFields) is
made anew by the server; names of field managers stay, since ownership is told
by them.

Source: the command line, **sandbox**.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from migrate.errors import BadInputError
from migrate.records.objects import Json
from migrate.sandbox.crds import permissive_crd

SUFFIXES: Final = (".yaml", ".yml", ".json")
BUILT_IN_GROUPS: Final = (
    "",
    "apps",
    "batch",
    "autoscaling",
    "policy",
    "networking.k8s.io",
    "rbac.authorization.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "admissionregistration.k8s.io",
)
"""Groups that every API server has; no CRD is made for them."""

_CRD: Final = "CustomResourceDefinition"


class Loaded:
    """
    Objects read from files.

    Attributes:
        objects: All of them, CRDs too, in the order of files.

        plurals: Plural by group and kind, where the name of a file tells it.
    """

    def __init__(self, objects: Sequence[Json], plurals: Mapping[tuple[str, str], str]) -> None:
        self.objects = list(objects)
        self.plurals = dict(plurals)


def load_objects(paths: Iterable[Path]) -> Loaded:
    """
    Return every object in *paths*; a folder means its files, sorted, folders within too.

    Raises:
        BadInputError: A path is missing, a file is no YAML or JSON, or a document is no Kubernetes object.
    """
    objects: list[Json] = []
    plurals: dict[tuple[str, str], str] = {}
    for path in paths:
        for file in _files(path):
            for document in _documents(file):
                for obj in _objects(document, file):
                    objects.append(obj)
                    plurals |= _plural(file, obj)
    if not objects:
        raise BadInputError(
            "--objects names no Kubernetes object.", resolution="Name files or folders of manifests with --objects."
        )
    return Loaded(objects, plurals)


def prepared(loaded: Loaded, definitions: Iterable[Json], now: str) -> list[Json]:
    """
    Return what to seed: CRDs first (those loaded win over *definitions*), then namespaces, then the rest.

    A kind without any CRD gets a permissive one. *now* becomes the time of all managedFields.
    """
    own = [_cleaned(obj, now) for obj in loaded.objects]
    given = {obj["metadata"]["name"]: obj for obj in definitions}
    given |= {obj["metadata"]["name"]: obj for obj in own if obj["kind"] == _CRD}
    rest = [obj for obj in own if obj["kind"] != _CRD]
    known = {(crd["spec"]["group"], crd["spec"]["names"]["kind"]): crd for crd in given.values()}
    for obj in rest:
        group, version, kind = identity(obj)
        if group in BUILT_IN_GROUPS:
            continue
        crd = known.get((group, kind))
        if crd is None:
            plural = loaded.plurals.get((group, kind), f"{kind.lower()}s")
            namespaced = bool(obj["metadata"].get("namespace"))
            known[group, kind] = permissive_crd(group, version, kind, plural, namespaced=namespaced)
        else:
            _serve(crd, version)
    missing = [_namespace(name) for name in _missing_namespaces(rest)]
    rest.sort(key=lambda obj: obj["kind"] != "Namespace")
    return [*known.values(), *missing, *_without_lost_owners(rest)]


def identity(obj: Json) -> tuple[str, str, str]:
    """Return group, version and kind."""
    group, _, version = str(obj["apiVersion"]).rpartition("/")
    return group, version, str(obj["kind"])


def _files(path: Path) -> Iterator[Path]:
    if not path.exists():
        raise BadInputError(f"{path} does not exist.", resolution="Name a file or folder of manifests with --objects.")
    if path.is_dir():
        yield from sorted(found for found in path.rglob("*") if found.suffix in SUFFIXES and found.is_file())
    else:
        yield path


def _documents(file: Path) -> Iterator[Any]:
    try:
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".json":
            yield json.loads(text)
        else:
            yield from yaml.load_all(text, Loader=_Loader)
    except json.JSONDecodeError as error:
        raise _unreadable(file, error.lineno, error.colno, error.msg) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise _unreadable(file, line, column, str(error.problem)) from error
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        raise BadInputError(f"{file} cannot be read: {error}", resolution="Mend the file.") from error


def _unreadable(file: Path, line: int, column: int, problem: str) -> BadInputError:
    message = f"{file}, line {line}, column {column}: {problem}"
    return BadInputError(message, resolution="Mend the file at that place.")


class _Loader(yaml.SafeLoader):
    """As safe as its base, and a date stays the text that it is in JSON."""


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
    for letter, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _objects(document: Any, file: Path) -> Iterator[Json]:
    if document is None:
        return
    if not isinstance(document, dict):
        raise _no_object(file)
    if str(document.get("kind", "")).endswith("List") and isinstance(document.get("items"), list):
        inner = str(document["kind"]).removesuffix("List")
        for item in document["items"]:
            typed = {"apiVersion": document.get("apiVersion"), "kind": inner} if inner else {}
            yield from _objects({**typed, **item} if isinstance(item, dict) else item, file)
        return
    name = document.get("metadata", {}).get("name") if isinstance(document.get("metadata"), dict) else None
    if not (isinstance(document.get("apiVersion"), str) and isinstance(document.get("kind"), str) and name):
        raise _no_object(file)
    yield document


def _no_object(file: Path) -> BadInputError:
    return BadInputError(
        f"{file} holds something that is no Kubernetes object: apiVersion, kind and metadata.name are needed.",
        resolution="Leave the file out, or make it a manifest.",
    )


def _plural(file: Path, obj: Json) -> dict[tuple[str, str], str]:
    group, _, kind = identity(obj)
    plural, _, rest = file.stem.partition(".")
    return {(group, kind): plural} if group and rest == group else {}


def _cleaned(obj: Json, now: str) -> Json:
    metadata = {
        key: value
        for key, value in obj["metadata"].items()
        if key not in {"resourceVersion", "selfLink", "creationTimestamp"}
    }
    if metadata.get("managedFields"):
        # Who owns what is told by these; the times belong to another cluster's clock.
        metadata["managedFields"] = [
            {**entry, "time": now} for entry in metadata["managedFields"] if isinstance(entry, dict)
        ]
    return {**obj, "metadata": metadata}


def _serve(crd: Json, version: str) -> None:
    versions = crd["spec"]["versions"]
    if version not in {entry["name"] for entry in versions}:
        versions.append({**versions[0], "name": version, "storage": False})


def _missing_namespaces(objects: list[Json]) -> list[str]:
    there = {obj["metadata"]["name"] for obj in objects if obj["kind"] == "Namespace"}
    used = {obj["metadata"]["namespace"] for obj in objects if obj["metadata"].get("namespace")}
    return sorted(used - there)


def _namespace(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _without_lost_owners(objects: list[Json]) -> list[Json]:
    """Drop owners that are not among *objects*: a garbage collector would take their dependents along."""
    there = {(identity(obj)[0], obj["kind"], obj["metadata"]["name"]) for obj in objects}
    kept = []
    for obj in objects:
        owners = obj["metadata"].get("ownerReferences") or []
        found = [
            owner
            for owner in owners
            if (str(owner.get("apiVersion", "")).rpartition("/")[0], owner.get("kind"), owner.get("name")) in there
        ]
        metadata = {key: value for key, value in obj["metadata"].items() if key != "ownerReferences"}
        kept.append({**obj, "metadata": metadata | ({"ownerReferences": found} if found else {})})
    return kept
