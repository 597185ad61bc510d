"""
The tree as values: aliases followed, merges done, scalars resolved.

Mappings come out with typed keys, ``(str, "a")`` or ``(int, 1)``, because Go
keeps ``1``, ``1.0``, ``true`` and ``"1"`` apart where Python would not. No
function here calls itself, so depth costs no Python stack.
"""

from typing import Any, Final

from migrate.goyaml.errors import ExcessiveAliasError, GoYamlError
from migrate.goyaml.nodes import ALIAS, MAPPING, SCALAR, SEQUENCE, Node
from migrate.goyaml.observations import (
    DUPLICATE_KEY,
    MERGE_KEY,
    MERGE_OVERLAP,
    OTHER_READING,
    TAG,
    Observation,
    Path,
)
from migrate.goyaml.readings import is_read_differently
from migrate.goyaml.resolve import CORE, MERGE_TAG, STR_TAG, Scalar, resolve

TypedKey = tuple[type, Scalar]
TypedMap = dict[TypedKey, Any]

_PENDING: Final = object()
_RATIO_LOW: Final = 400_000
_RATIO_HIGH: Final = 4_000_000
_SAME_VALUE_TAGS: Final = frozenset(CORE + name for name in ("str", "int", "float", "bool", "null"))
_OWN_TAG: Final = {SEQUENCE: CORE + "seq", MAPPING: CORE + "map"}
_LONGEST: Final = 80
"""Characters of a text that a message quotes."""

_MOST_OBSERVATIONS: Final = 1000
"""A person reads no more; the first thousand are kept."""


def allowed_alias_ratio(decoded: int) -> float:
    """
    Return which share of *decoded* nodes may come out of aliases.

    Source: go.yaml.in/yaml/v2 2.4.4, ``decode.go``.
    """
    if decoded <= _RATIO_LOW:
        return 0.99
    if decoded >= _RATIO_HIGH:
        return 0.10
    return 0.99 - 0.89 * ((decoded - _RATIO_LOW) / (_RATIO_HIGH - _RATIO_LOW))


class _Sequence:
    __slots__ = ("items", "node")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.items: list[Any] = []


class _Mapping:
    __slots__ = ("index", "key", "merged", "merging", "node", "values", "written")

    def __init__(self, node: Node, values: TypedMap) -> None:
        self.node = node
        self.values = values
        self.index = 0
        self.key: TypedKey | None = None
        self.merging: list[Node] = []
        self.merged = False
        self.written: set[TypedKey] = set()


class _Alias:
    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node


class Evaluation:
    """
    The evaluation of one tree.

    Attributes:
        observations: What was noticed, in the order of the text.
    """

    def __init__(self) -> None:
        self.observations: list[Observation] = []
        self._frames: list[_Sequence | _Mapping | _Alias] = []
        self._active: set[Node] = set()
        self._decoded = 1  # The document counts as a node.
        self._from_aliases = 0
        self._depth_of_aliases = 0

    def run(self, root: Node) -> Any:
        """
        Return the value of *root*.

        Raises:
            GoYamlError: A scalar does not fit its tag, a mapping key is a
                collection, a merge is no mapping, or aliases never end.
        """
        value = self._begin(root)
        while self._frames:
            frame = self._frames[-1]
            if value is not _PENDING:
                value = self._deliver(frame, value)
            elif isinstance(frame, _Sequence):
                value = self._advance_sequence(frame)
            elif isinstance(frame, _Mapping):
                value = self._advance_mapping(frame)
        return value

    def _begin(self, node: Node, into: TypedMap | None = None) -> Any:
        self._count(node)
        while node.kind == ALIAS and node.target is not None:
            if node in self._active:
                raise self._error(f"anchor {node.value[:_LONGEST]!r} value contains itself", node)
            self._active.add(node)
            self._depth_of_aliases += 1
            self._frames.append(_Alias(node))
            node = node.target
            self._count(node)
        if node.kind == SCALAR:
            return self._scalar(node)
        self._watch_collection_tag(node)
        self._frames.append(_Sequence(node) if node.kind == SEQUENCE else _Mapping(node, {} if into is None else into))
        return _PENDING

    def _count(self, node: Node) -> None:
        self._decoded += 1
        if self._depth_of_aliases:
            self._from_aliases += 1
            if (
                self._from_aliases > 100
                and self._decoded > 1000
                and self._from_aliases / self._decoded > allowed_alias_ratio(self._decoded)
            ):
                raise ExcessiveAliasError(
                    "document contains excessive aliasing", line=node.mark.line + 1, column=node.mark.column + 1
                )

    def _deliver(self, frame: _Sequence | _Mapping | _Alias, value: Any) -> Any:
        if isinstance(frame, _Alias):
            self._frames.pop()
            self._active.discard(frame.node)
            self._depth_of_aliases -= 1
            return value
        if isinstance(frame, _Sequence):
            frame.items.append(value)
        elif frame.merged:
            frame.merged = False
        elif frame.key is None:
            frame.key = self._as_key(frame, value)
        else:
            self._set(frame, frame.key, value)
            frame.key = None
            frame.index += 2
        return _PENDING

    def _advance_sequence(self, frame: _Sequence) -> Any:
        if len(frame.items) < len(frame.node.children):
            return self._begin(frame.node.children[len(frame.items)])
        self._frames.pop()
        return frame.items

    def _advance_mapping(self, frame: _Mapping) -> Any:
        if frame.merging:
            frame.merged = True
            return self._begin(frame.merging.pop(), into=frame.values)
        if frame.index >= len(frame.node.children):
            self._frames.pop()
            return frame.values
        key = frame.node.children[frame.index]
        if frame.key is not None:
            return self._begin(frame.node.children[frame.index + 1])
        if _is_merge(key):
            frame.merging = self._merged_nodes(frame.node.children[frame.index + 1])
            frame.index += 2
            self._observe(MERGE_KEY, "a << merge is used", key)
            return _PENDING
        return self._begin(key)

    def _merged_nodes(self, node: Node) -> list[Node]:
        """Return the mappings to merge, last first: they are taken from the end."""
        target = node.target if node.kind == ALIAS else node
        if target is not None and target.kind == MAPPING:
            return [node]
        if node.kind == SEQUENCE:
            for item in node.children:
                inner = item.target if item.kind == ALIAS else item
                if inner is None or inner.kind != MAPPING:
                    break
            else:
                return list(node.children)
        raise self._error("map merge requires map or sequence of maps as the value", node)

    def _as_key(self, frame: _Mapping, value: Any) -> TypedKey:
        if isinstance(value, list | dict):
            raise self._error("invalid map key: a collection", frame.node.children[frame.index])
        return type(value), value

    def _set(self, frame: _Mapping, key: TypedKey, value: Any) -> None:
        if key in frame.values:
            node = frame.node.children[frame.index]
            quoted = ascii(key[1])[:_LONGEST]
            if key in frame.written:
                self._observe(DUPLICATE_KEY, f"the key {quoted} occurs twice, the last one counts", node)
            else:
                self._observe(MERGE_OVERLAP, f"the key {quoted} is set by a << merge as well", node)
        frame.values[key] = value
        frame.written.add(key)

    def _scalar(self, node: Node) -> Scalar:
        if not node.tag and not node.implicit:
            return node.value
        try:
            value = resolve(node.tag, node.value)
        except GoYamlError as error:
            raise self._error(error.problem, node) from None
        if node.tag:
            self._watch_scalar_tag(node, value)
        elif is_read_differently(node.value, value):
            self._observe(
                OTHER_READING,
                f"{ascii(node.value)[:_LONGEST]} is read as {value!a} here and differently elsewhere",
                node,
            )
        return value

    def _watch_scalar_tag(self, node: Node, value: Scalar) -> None:
        if node.tag in _SAME_VALUE_TAGS:
            return
        if node.tag == "!" and resolve("", node.value) == value:
            return
        self._observe(TAG, f"the tag {_short(node.tag)} makes it the text {ascii(value)[:_LONGEST]}", node)

    def _watch_collection_tag(self, node: Node) -> None:
        if node.tag and node.tag not in {"!", _OWN_TAG[node.kind]}:
            self._observe(TAG, f"the tag {_short(node.tag)} is not looked at", node)

    def _observe(self, code: str, message: str, node: Node) -> None:
        if len(self.observations) < _MOST_OBSERVATIONS:
            path = self._path()
            self.observations.append(Observation(code, message, path, node.mark.line + 1))

    def _path(self) -> Path:
        steps: list[str | int] = []
        for frame in self._frames:
            if isinstance(frame, _Sequence):
                steps.append(len(frame.items))
            elif isinstance(frame, _Mapping) and frame.key is not None:
                steps.append(str(frame.key[1]))
        return tuple(steps)

    def _error(self, problem: str, node: Node) -> GoYamlError:
        return GoYamlError(problem, line=node.mark.line + 1, column=node.mark.column + 1)


def _is_merge(node: Node) -> bool:
    return node.kind == SCALAR and node.value == "<<" and (node.implicit or node.tag == MERGE_TAG)


def _short(tag: str) -> str:
    return ascii("!!" + tag.removeprefix(CORE) if tag.startswith(CORE) else tag)[:_LONGEST]


__all__ = ["STR_TAG", "Evaluation", "TypedKey", "TypedMap", "allowed_alias_ratio"]
