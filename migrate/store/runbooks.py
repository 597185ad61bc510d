"""Runbooks as files: the shipped ones, those in ``./runbooks``, or any that the user names."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import yaml

from migrate.errors import BadInputError
from migrate.records.runbook import Runbook
from migrate.store.atomic import is_there, load

LARGEST_BYTES = 128 * 1024
"""A YAML text is read at some ten thousand bytes a second, and no runbook comes near this."""

_UNKNOWN = re.compile(r"unknown field `([^`]*)`")
_STEP = re.compile(r"\.([A-Za-z0-9_-]+)|\[(\d+|\.\.\.)\]")


@dataclass(frozen=True, slots=True)
class LoadedRunbook:
    """
    A runbook and where it came from.

    Attributes:
        source: ``shipped`` or the file's path.

        lines: The line of each field, by its path such as ``phases[1].steps[0].uses``.
    """

    runbook: Runbook
    source: str
    lines: Mapping[str, int]


@cache
def shipped_names() -> tuple[str, ...]:
    """Return the names of the runbooks that come with the tool, sorted."""
    folder = resources.files("migrate") / "runbooks"
    return tuple(sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml")))


def local_names(cwd: Path) -> tuple[str, ...]:
    """Return the names of the runbooks in ``./runbooks`` that are not shipped, sorted."""
    shipped = set(shipped_names())
    return tuple(sorted(path.stem for path in (cwd / "runbooks").glob("*.yaml") if path.stem not in shipped))


def load_runbook(named: str, cwd: Path) -> LoadedRunbook:
    """
    Return the runbook called *named*: a shipped one, then ``./runbooks/NAME.yaml``, then a file.

    Raises:
        BadInputError: There is none, or it does not validate; names file, line and column.
    """
    if named in shipped_names():
        return _shipped(named)
    local = cwd / "runbooks" / f"{named}.yaml"
    path = local if Path(named).name == named and is_there(local) else cwd / named
    if not is_there(path):
        raise BadInputError(
            f"no runbook {named!r}; there are: {', '.join((*shipped_names(), *local_names(cwd)))}",
            resolution="Name one of them, or a file; maas-migrate runbook list shows what they are.",
        )
    return _loaded(load(path, by_user=True, largest_bytes=LARGEST_BYTES), str(path), str(path))


@cache
def _shipped(name: str) -> LoadedRunbook:
    # Reading YAML takes long, and what is shipped stays the same while a process lives.
    data = (resources.files("migrate") / "runbooks" / f"{name}.yaml").read_bytes()
    return _loaded(data, f"{name}.yaml", "shipped")


def _loaded(data: bytes, name: str, source: str) -> LoadedRunbook:
    runbook, root = _parsed(data, name)
    return LoadedRunbook(runbook, source, dict(_lines(root, "", set())) if root else {})


def _lines(node: yaml.Node, path: str, done: set[int]) -> Iterator[tuple[str, int]]:
    """Yield the path and line of everything in a document; what an alias repeats is placed once."""
    if id(node) in done:
        return
    done.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        inner = [(f"{path}[{index}]", item, item) for index, item in enumerate(node.value)]
    elif isinstance(node, yaml.MappingNode):
        inner = [(f"{path}.{key.value}".lstrip("."), key, item) for key, item in node.value]
    else:
        return
    for name, place, item in inner:
        yield name, place.start_mark.line + 1
        yield from _lines(item, name, done)


def parse_runbook(data: bytes, name: str) -> Runbook:
    """Return the runbook in a YAML text. Raises BadInputError with file, line and column."""
    return _parsed(data, name)[0]


def _parsed(data: bytes, name: str) -> tuple[Runbook, yaml.Node | None]:
    if len(data) > LARGEST_BYTES:
        raise _bad(f"{name} is larger than {LARGEST_BYTES} bytes")
    try:
        node = yaml.compose(data, Loader=yaml.SafeLoader)
        value = _plain(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f", line {mark.line + 1} column {mark.column + 1}" if mark else ""
        raise _bad(f"{name}{where}: {error.problem}") from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise _bad(f"{name}: {error}") from error
    version = value.get("version") if isinstance(value, Mapping) else None
    if isinstance(version, int) and version > 1:
        raise _bad(f"{name}: version {version} is newer than this tool reads (1)")
    try:
        runbook = msgspec.convert(value, Runbook)
        msgspec.json.encode(runbook)  # What cannot be written could be read, and stop a run half-way.
    except msgspec.ValidationError as error:
        raise _bad(f"{name}{_place(node, str(error))}: {error}") from error
    except UnicodeEncodeError as error:
        raise _bad(f"{name}: it holds half a character, which UTF-8 does not have") from error
    return runbook, node


def _bad(message: str) -> BadInputError:
    return BadInputError(message, resolution="Mend the runbook; 'maas-migrate runbook validate FILE' checks it.")


def _plain(node: yaml.Node | None) -> Any:
    """Return the node as values; a key that stands twice is an error, and so is an alias to itself."""
    if node is None:
        return None
    loader = yaml.SafeLoader("")
    try:
        _must_be_plain(node, (), set())
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _must_be_plain(node: yaml.Node, above: tuple[int, ...], done: set[int]) -> None:
    if id(node) in above:
        raise yaml.MarkedYAMLError(problem="an alias that holds itself", problem_mark=node.start_mark)
    if id(node) in done:
        return  # Reached by another alias; looking again and again is what an alias bomb wants.
    done.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _must_be_plain(item, (*above, id(node)), done)
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, item in node.value:
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"the key {key.value!r} stands twice", problem_mark=key.start_mark)
            seen.add(key.value)
            _must_be_plain(item, (*above, id(node)), done)


def _place(node: yaml.Node | None, message: str) -> str:
    """Return line and column of what msgspec complains about, from the ``$.phases[0].title`` in its message."""
    path = message.rpartition("`$")[2].rstrip("`") if "`$" in message else ""
    for name, index in _STEP.findall(path):
        if isinstance(node, yaml.MappingNode) and name:
            node = next((item for key, item in node.value if key.value == name), node)
        elif isinstance(node, yaml.SequenceNode) and index.isdigit() and int(index) < len(node.value):
            node = node.value[int(index)]
    unknown = _UNKNOWN.search(message)
    if unknown and isinstance(node, yaml.MappingNode):
        node = next((key for key, _ in node.value if key.value == unknown[1]), node)
    return f", line {node.start_mark.line + 1} column {node.start_mark.column + 1}" if node is not None else ""
