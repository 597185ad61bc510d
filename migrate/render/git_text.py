"""Patches for git as YAML, as far as a person needs it: what to set, and what to take out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from migrate.records.objects import walk
from migrate.records.plan import GitPatch
from migrate.render.escape import escaped


def git_text(patches: Sequence[GitPatch]) -> str:
    """Return every patch as a YAML document of its own; ``""`` without patches."""
    return "".join(f"{line}\n" for patch in patches for line in git_lines(patch))


def git_lines(patch: GitPatch) -> Iterator[str]:
    """Yield the lines of one patch: a comment, then the fields; what is to be taken out stands in a comment."""
    yield "---"
    when = f", {escaped(patch.when)}" if patch.when else ""
    yield f"# {escaped(patch.object)}: in place of step {escaped(patch.step)}{when}"
    wanted, unwanted = _parts(patch.patch)
    for path in unwanted:
        yield f"# take out: {escaped('.'.join(path))}"
    if wanted:
        names = {"name": patch.object.name} | ({"namespace": patch.object.namespace} if patch.object.namespace else {})
        metadata = {**names, **wanted.get("metadata", {})}
        yield from _yaml(
            {"apiVersion": patch.object.api_version, "kind": patch.object.kind, **wanted, "metadata": metadata}
        )


def _parts(patch: Mapping[str, Any]) -> tuple[dict[str, Any], list[tuple[str, ...]]]:
    unwanted = [path for path, value in walk(patch) if value is None]
    return _without_nulls(patch), unwanted


def _without_nulls(value: Mapping[str, Any]) -> dict[str, Any]:
    kept = {
        key: _without_nulls(inner) if isinstance(inner, Mapping) else inner
        for key, inner in value.items()
        if inner is not None
    }
    return {key: inner for key, inner in kept.items() if inner != {}}


def _yaml(value: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    for key, inner in value.items():
        if isinstance(inner, Mapping):
            yield f"{indent}{_scalar(key)}:"
            yield from _yaml(inner, indent + "  ")
        else:
            yield f"{indent}{_scalar(key)}: {_scalar(inner) if not isinstance(inner, list) else _json(inner)}"


def _scalar(value: Any) -> str:
    """Return a scalar that every YAML reader reads alike: a plain word, or JSON."""
    if (
        isinstance(value, str)
        and value.isascii()
        and value.replace("-", "").replace("/", "").replace(".", "").isalpha()
    ):
        return value if value.lower() not in _WORDS else _json(value)
    return _json(value)


_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def _json(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return "".join(map(_ascii, text))


def _ascii(character: str) -> str:
    code = ord(character)
    if code < 0x7F:
        return character
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def comments(lines: Iterable[str]) -> Iterator[str]:
    """Yield *lines* as comments of a script."""
    return (f"# {line}" for line in lines)
