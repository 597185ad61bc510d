"""CEL: the rules of ``x-kubernetes-validations``, compiled when first needed."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, Final
from urllib.parse import urlsplit

from migrate.sandbox.apiserver.protocol.statuses import Cause, shown
from migrate.sandbox.apiserver.protocol.values import Document, decode, encode
from migrate.sandbox.apiserver.schemas.validation import type_name

_ABSENT: Final = object()
_OLD_SELF: Final = re.compile(r"\boldSelf\b")
_RESERVED: Final = frozenset(
    {
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "void",
        "while",
        "var",
    }
)


def find_rules(schema: Document, *, root: bool = True) -> Document | None:
    """Return what of *schema* leads to rules, or None where it has none; most of a schema has none."""
    nodes = schema.get("properties") or {}
    properties = {
        name: find_rules(node, root=False) for name, node in nodes.items() if not (root and name == "metadata")
    }
    made: Document = {"properties": {name: node for name, node in properties.items() if node is not None}}
    for word in ("items", "additionalProperties"):
        found = find_rules(schema[word], root=False) if isinstance(schema.get(word), dict) else None
        if found is not None:
            made[word] = found
    if not made["properties"] and len(made) == 1 and not schema.get("x-kubernetes-validations"):
        return None
    kept = ("x-kubernetes-validations", "x-kubernetes-list-type", "x-kubernetes-list-map-keys")
    return {**made, **{word: schema[word] for word in kept if word in schema}, "whole": schema}


def check_rules(rules: Document | None, value: Any, old: Any) -> list[Cause]:
    """
    Return the rules that *value* breaks.

    Args:
        rules: What ``find_rules`` found.

        value: A custom object.

        old: The object as it was, which rules that name ``oldSelf`` need; None for a new one.
    """
    return [] if rules is None else list(_walk(rules, value, _ABSENT if old is None else old, ""))


def _walk(schema: Document, value: Any, old: Any, path: str) -> Iterator[Cause]:
    for rule in schema.get("x-kubernetes-validations") or ():
        if "__" in rule["rule"]:
            whole = schema["whole"]
            yield from _check(rule, escaped(whole, value), _ABSENT if old is _ABSENT else escaped(whole, old), path)
        else:
            yield from _check(rule, value, old, path)
    if isinstance(value, dict):
        yield from _walk_object(schema, value, old, path)
    elif isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from _walk(schema["items"], item, _old_item(schema, item, old), f"{path}[{index}]")


def escaped(schema: Document, value: Any) -> Any:
    """Return *value* with its fields named as rules must spell them: ``__namespace__``, ``a__dash__b``."""
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [escaped(schema["items"], item) for item in value]
    if not isinstance(value, dict):
        return value
    properties, extra = schema.get("properties") or {}, schema.get("additionalProperties")
    made: Document = {}
    for name, item in value.items():
        if name in properties:
            made[_escaped_name(name)] = escaped(properties[name], item)
        else:
            made[name] = escaped(extra, item) if isinstance(extra, dict) else item
    return made


def _escaped_name(name: str) -> str:
    if name in _RESERVED:
        return f"__{name}__"
    for sign, word in (("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__")):
        name = name.replace(sign, word)
    return name


def _walk_object(schema: Document, value: Document, old: Any, path: str) -> Iterator[Cause]:
    properties, extra = schema["properties"], schema.get("additionalProperties")
    for name, item in value.items():
        node = properties.get(name, extra)
        if node is not None:
            was = old.get(name, _ABSENT) if isinstance(old, dict) else _ABSENT
            yield from _walk(node, item, was, f"{path}.{name}" if path else name)


def _old_item(schema: Document, item: Any, old: Any) -> Any:
    keys = schema.get("x-kubernetes-list-map-keys")
    if schema.get("x-kubernetes-list-type") != "map" or not keys or not isinstance(old, list):
        return _ABSENT  # Without keys nobody can say which item it was.
    for was in old:
        if all(was.get(key) == item.get(key) for key in keys):
            return was
    return _ABSENT


def _check(rule: Document, value: Any, old: Any, path: str) -> Iterator[Cause]:
    source = rule["rule"]
    variables = {"self": value}
    if _OLD_SELF.search(source):
        optional = bool(rule.get("optionalOldSelf"))
        if old is _ABSENT and not optional:
            return
        variables["oldSelf"] = _optional(old) if optional else old
    try:
        holds = _evaluate(source, variables)
    except Exception as error:  # noqa: BLE001 - whatever the library raises, the rule could not be asked
        yield _cause(rule, value, path, f"rule evaluation failed: {error}")
        return
    if holds is not True:
        yield _cause(rule, value, path, _message(rule, variables))


def _message(rule: Document, variables: Document) -> str:
    expression = rule.get("messageExpression")
    if expression:
        try:
            made = _evaluate(expression, variables)
        except Exception:  # noqa: BLE001 - the plain message is the fallback, as on a real server
            made = None
        if isinstance(made, str) and made.strip():
            return made
    return str(rule.get("message") or f"failed rule: {rule['rule'].strip()}")


def _cause(rule: Document, value: Any, path: str, detail: str) -> Cause:
    field = path + str(rule.get("fieldPath") or "")
    field = field.removeprefix(".") or "<nil>"
    text = type_name(value) if isinstance(value, dict | list) else value
    reason = str(rule.get("reason") or "FieldValueInvalid")
    if reason == "FieldValueRequired":
        return Cause.required(field, detail)
    if reason == "FieldValueForbidden":
        return Cause.forbidden(field, detail)
    if reason == "FieldValueDuplicate":
        return Cause.duplicate(field, text)
    # Objects and lists are not printed: the field says where they stand.
    told = "" if isinstance(value, dict | list) else f"{shown(value)}: "
    return Cause(reason, field, f"Invalid value: {told}{detail}")


def _optional(old: Any) -> Any:
    import cel  # noqa: PLC0415 - slow to load, and most servers never need it

    return cel.OptionalValue.none() if old is _ABSENT else cel.OptionalValue.of(old)


def _evaluate(source: str, variables: Document) -> Any:
    try:
        return _known(source, encode(variables))
    except TypeError:  # An optional value is no JSON.
        return _evaluated(source, variables)


@lru_cache(maxsize=4096)
def _known(source: str, variables: bytes) -> Any:
    # Players write the same values over and over, and a rule says of them what it said before.
    return _evaluated(source, decode(variables))


def _evaluated(source: str, variables: Document) -> Any:
    import cel  # noqa: PLC0415 - slow to load, and most servers never need it
    from cel.stdlib import add_stdlib_to_context  # noqa: PLC0415

    context = cel.Context(variables)
    add_stdlib_to_context(context)
    _add_kubernetes_functions(context)
    return _program(source).execute(context)


@cache
def _program(source: str) -> Any:
    import cel  # noqa: PLC0415 - slow to load, and most servers never need it

    return cel.compile(source)


def _add_kubernetes_functions(context: Any) -> None:
    context.add_function("find", _find)
    context.add_function("findAll", lambda text, pattern: [found[0] for found in re.finditer(pattern, text)])
    context.add_function("isURL", lambda text: bool(re.match(r"^[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s]+", text)))
    context.add_function("url", lambda text: text)
    context.add_function("getScheme", lambda text: urlsplit(text).scheme)
    context.add_function("getHost", lambda text: urlsplit(text).netloc)
    context.add_function("getHostname", lambda text: urlsplit(text).hostname or "")
    context.add_function("getPort", lambda text: str(urlsplit(text).port or ""))
    context.add_function("getEscapedPath", lambda text: urlsplit(text).path)
    context.add_function("isSorted", lambda items: all(a <= b for a, b in pairwise(items)))
    context.add_function("indexOf", lambda items, item: items.index(item) if item in items else -1)


def _find(text: str, pattern: str) -> str:
    found = re.search(pattern, text)
    return found[0] if found else ""
