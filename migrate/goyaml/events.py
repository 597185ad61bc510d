"""
Tokens as events: what begins, what ends, which scalars and aliases stand between.

A machine of states with a stack instead of functions that call each other, so
depth costs no Python stack.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from migrate.goyaml.errors import GoYamlError, IncompatibleVersionError
from migrate.goyaml.scanner import Scanner
from migrate.goyaml.tokens import (
    ALIAS,
    ANCHOR,
    BLOCK_END,
    BLOCK_ENTRY,
    BLOCK_MAPPING_START,
    BLOCK_SEQUENCE_START,
    DOCUMENT_END,
    DOCUMENT_START,
    FLOW_ENTRY,
    FLOW_MAPPING_END,
    FLOW_MAPPING_START,
    FLOW_SEQUENCE_END,
    FLOW_SEQUENCE_START,
    KEY,
    SCALAR,
    STREAM_END,
    TAG,
    TAG_DIRECTIVE,
    VALUE,
    VERSION_DIRECTIVE,
    Mark,
    Token,
)

SCALAR_EVENT: Final = "scalar"
ALIAS_EVENT: Final = "alias"
SEQUENCE_EVENT: Final = "sequence"
MAPPING_EVENT: Final = "mapping"
END_EVENT: Final = "end"

_DEFAULT_TAGS: Final = {"!": "!", "!!": "tag:yaml.org,2002:"}
_AFTER_KEY: Final = frozenset({KEY, VALUE, BLOCK_END})
_NO_CONTENT: Final = frozenset({VERSION_DIRECTIVE, TAG_DIRECTIVE, DOCUMENT_START, DOCUMENT_END, STREAM_END})


class Event(NamedTuple):
    """
    One event.

    Attributes:
        kind: One of the constants of this module.

        mark: Where it starts.

        value: Text of a scalar, name of an alias.

        tag: The tag in full, ``""`` where there is none.

        anchor: The name under which an alias finds the node; None where there is none.

        implicit: Whether the reader has to find out the type of a scalar.
    """

    kind: str
    mark: Mark
    value: str = ""
    tag: str = ""
    anchor: str | None = None
    implicit: bool = False


class Events:
    """
    The events of the first document.

    ``start`` comes first and tells whether there is a document; ``next`` then
    gives one event after another. The document ends with its one node.
    """

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._tags: dict[str, str] = {}
        self._states: list[Callable[[], Event]] = []
        self._state: Callable[[], Event] = self._block_node

    def start(self) -> bool:
        """Step to the first node; return False where the text holds no document."""
        self._scanner.skip()
        token = self._scanner.peek()
        if token.kind == STREAM_END:
            return False
        explicit = token.kind in _NO_CONTENT
        self._read_directives()
        if explicit:
            token = self._scanner.peek()
            if token.kind != DOCUMENT_START:
                self._fail("did not find expected <document start>", token)
            self._scanner.skip()
            self._state = self._document_content
        self._states.append(self._block_node)
        return True

    def next(self) -> Event:
        """Return the next event."""
        return self._state()

    def _fail(self, problem: str, token: Token) -> None:
        raise GoYamlError(problem, line=token.mark.line + 1, column=token.mark.column + 1)

    def _take(self) -> Token:
        """Step over a token and return the one behind it."""
        self._scanner.skip()
        return self._scanner.peek()

    def _pop(self) -> None:
        self._state = self._states.pop()

    def _push(self, state: Callable[[], Event]) -> None:
        self._states.append(state)

    def _empty(self, mark: Mark, state: Callable[[], Event]) -> Event:
        self._state = state
        return Event(SCALAR_EVENT, mark, implicit=True)

    def _read_directives(self) -> None:
        seen_version = False
        while (token := self._scanner.peek()).kind in {VERSION_DIRECTIVE, TAG_DIRECTIVE}:
            if token.kind == VERSION_DIRECTIVE:
                self._check_version(token, again=seen_version)
                seen_version = True
            elif token.value in self._tags:
                self._fail("found duplicate %TAG directive", token)
            else:
                self._tags[token.value] = token.extra
            self._scanner.skip()
        self._tags = _DEFAULT_TAGS | self._tags

    def _check_version(self, token: Token, *, again: bool) -> None:
        if again:
            self._fail("found duplicate %YAML directive", token)
        if token.value != "1.1":
            raise IncompatibleVersionError(
                f"found incompatible YAML document (version {token.value})",
                line=token.mark.line + 1,
                column=token.mark.column + 1,
            )

    def _document_content(self) -> Event:
        token = self._scanner.peek()
        if token.kind in _NO_CONTENT:
            return self._empty(token.mark, self._block_node)
        return self._block_node()

    def _block_node(self) -> Event:
        return self._node(block=True)

    def _flow_node(self) -> Event:
        return self._node(block=False)

    def _node(self, *, block: bool, indentless: bool = False) -> Event:
        token = self._scanner.peek()
        if token.kind == ALIAS:
            self._pop()
            self._scanner.skip()
            return Event(ALIAS_EVENT, token.mark, token.value)
        start = token.mark
        anchor: str | None = None
        tag = ""
        if token.kind in {ANCHOR, TAG}:
            anchor, tag, token = self._properties(token)
        if token.kind == SCALAR:
            implicit = (token.plain and not tag) or tag == "!"
            self._pop()
            self._scanner.skip()
            return Event(SCALAR_EVENT, start, token.value, tag, anchor, implicit)
        return self._collection(token, Event("", start, "", tag, anchor), block=block, indentless=indentless)

    def _properties(self, token: Token) -> tuple[str | None, str, Token]:
        """Read an anchor and a tag in either order, one of each at most."""
        anchor: str | None = None
        tag_token: Token | None = None
        first = token.kind
        for kind in (first, TAG if first == ANCHOR else ANCHOR):
            if token.kind == kind == ANCHOR:
                anchor = token.value
                token = self._take()
            elif token.kind == kind:
                tag_token = token
                token = self._take()
        return anchor, self._resolve_tag(tag_token) if tag_token else "", token

    def _resolve_tag(self, token: Token) -> str:
        if not token.value:
            return token.extra
        tag = self._tags.get(token.value, "") + token.extra if token.value in self._tags else ""
        if not tag:
            self._fail("found undefined tag handle", token)
        return tag

    def _collection(self, token: Token, event: Event, *, block: bool, indentless: bool) -> Event:
        if indentless and token.kind == BLOCK_ENTRY:
            self._state = self._indentless_entry
            return event._replace(kind=SEQUENCE_EVENT)
        if token.kind in _COLLECTIONS:
            kind, needs_block, state = _COLLECTIONS[token.kind]
            if block or not needs_block:
                self._scanner.skip()
                self._state = state.__get__(self)
                return event._replace(kind=kind)
        if event.anchor or event.tag:
            self._pop()
            return event._replace(kind=SCALAR_EVENT, implicit=not event.tag)
        self._fail("did not find expected node content", token)
        raise AssertionError  # pragma: no cover - the line above always raises

    def _end(self, token: Token, *, skip: bool = True) -> Event:
        self._pop()
        if skip:
            self._scanner.skip()
        return Event(END_EVENT, token.mark)

    def _block_entry(self) -> Event:
        token = self._scanner.peek()
        if token.kind == BLOCK_ENTRY:
            following = self._take()
            if following.kind in {BLOCK_ENTRY, BLOCK_END}:
                return self._empty(token.mark, self._block_entry)
            self._push(self._block_entry)
            return self._block_node()
        if token.kind != BLOCK_END:
            self._fail("did not find expected '-' indicator", token)
        return self._end(token)

    def _indentless_entry(self) -> Event:
        token = self._scanner.peek()
        if token.kind != BLOCK_ENTRY:
            return self._end(token, skip=False)
        following = self._take()
        if following.kind in {BLOCK_ENTRY, KEY, VALUE, BLOCK_END}:
            return self._empty(token.mark, self._indentless_entry)
        self._push(self._indentless_entry)
        return self._block_node()

    def _block_key(self) -> Event:
        token = self._scanner.peek()
        if token.kind == KEY:
            following = self._take()
            if following.kind in _AFTER_KEY:
                return self._empty(token.mark, self._block_value)
            self._push(self._block_value)
            return self._node(block=True, indentless=True)
        if token.kind != BLOCK_END:
            self._fail("did not find expected key", token)
        return self._end(token)

    def _block_value(self) -> Event:
        token = self._scanner.peek()
        if token.kind != VALUE:
            return self._empty(token.mark, self._block_key)
        following = self._take()
        if following.kind in _AFTER_KEY:
            return self._empty(token.mark, self._block_key)
        self._push(self._block_key)
        return self._node(block=True, indentless=True)

    def _first_flow_entry(self) -> Event:
        return self._flow_entry(first=True)

    def _flow_entry(self, *, first: bool = False) -> Event:
        token = self._scanner.peek()
        if token.kind != FLOW_SEQUENCE_END:
            if not first:
                token = self._after_comma(token, "did not find expected ',' or ']'")
            if token.kind == KEY:
                self._state = self._pair_key
                self._scanner.skip()
                return Event(MAPPING_EVENT, token.mark)
            if token.kind != FLOW_SEQUENCE_END:
                self._push(self._flow_entry)
                return self._flow_node()
        return self._end(token)

    def _after_comma(self, token: Token, problem: str) -> Token:
        if token.kind != FLOW_ENTRY:
            self._fail(problem, token)
        return self._take()

    def _pair_key(self) -> Event:
        token = self._scanner.peek()
        if token.kind not in {VALUE, FLOW_ENTRY, FLOW_SEQUENCE_END}:
            self._push(self._pair_value)
            return self._flow_node()
        # The Go parser loses this token, so "[? , a]" is not what it seems.
        self._scanner.skip()
        return self._empty(token.mark, self._pair_value)

    def _pair_value(self) -> Event:
        token = self._scanner.peek()
        if token.kind == VALUE:
            token = self._take()
            if token.kind not in {FLOW_ENTRY, FLOW_SEQUENCE_END}:
                self._push(self._pair_end)
                return self._flow_node()
        return self._empty(token.mark, self._pair_end)

    def _pair_end(self) -> Event:
        self._state = self._flow_entry
        return Event(END_EVENT, self._scanner.peek().mark)

    def _first_flow_key(self) -> Event:
        return self._flow_key(first=True)

    def _flow_key(self, *, first: bool = False) -> Event:
        token = self._scanner.peek()
        if token.kind != FLOW_MAPPING_END:
            if not first:
                token = self._after_comma(token, "did not find expected ',' or '}'")
            if token.kind == KEY:
                token = self._take()
                if token.kind in {VALUE, FLOW_ENTRY, FLOW_MAPPING_END}:
                    return self._empty(token.mark, self._flow_value)
                self._push(self._flow_value)
                return self._flow_node()
            if token.kind != FLOW_MAPPING_END:
                self._push(self._flow_empty_value)
                return self._flow_node()
        return self._end(token)

    def _flow_value(self) -> Event:
        token = self._scanner.peek()
        if token.kind == VALUE:
            token = self._take()
            if token.kind not in {FLOW_ENTRY, FLOW_MAPPING_END}:
                self._push(self._flow_key)
                return self._flow_node()
        return self._empty(token.mark, self._flow_key)

    def _flow_empty_value(self) -> Event:
        return self._empty(self._scanner.peek().mark, self._flow_key)


_COLLECTIONS: Final = {
    FLOW_SEQUENCE_START: (SEQUENCE_EVENT, False, Events._first_flow_entry),  # noqa: SLF001
    FLOW_MAPPING_START: (MAPPING_EVENT, False, Events._first_flow_key),  # noqa: SLF001
    BLOCK_SEQUENCE_START: (SEQUENCE_EVENT, True, Events._block_entry),  # noqa: SLF001
    BLOCK_MAPPING_START: (MAPPING_EVENT, True, Events._block_key),  # noqa: SLF001
}
"""By the token that opens it: the event, whether it is a block collection, and the first state inside."""
