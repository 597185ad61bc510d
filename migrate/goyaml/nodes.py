"""The tree of the first document, as it stands in the text: aliases are links, nothing is resolved."""

import re
from typing import Final

from migrate.goyaml.errors import GoYamlError, TooLargeError
from migrate.goyaml.events import ALIAS_EVENT, END_EVENT, MAPPING_EVENT, SCALAR_EVENT, SEQUENCE_EVENT, Event, Events
from migrate.goyaml.scanner import Scanner
from migrate.goyaml.source import Source
from migrate.goyaml.tokens import DOCUMENT_END, STREAM_END

SCALAR: Final = SCALAR_EVENT
ALIAS: Final = ALIAS_EVENT
SEQUENCE: Final = SEQUENCE_EVENT
MAPPING: Final = MAPPING_EVENT

NODE_LIMIT: Final = 100_000
"""
Nodes that are read at most, which bounds the time to some seconds.

A plugins ConfigMap has less than a hundred; only a text made for it has more than this in the 1 MiB that fit.
"""

_NOTHING = re.compile(
    "(?:[ \\t]*+(?:#[^\r\n\x85\u2028\u2029\0]*+)?[\r\n\x85\u2028\u2029]++)*[ \\t]*+(?:#[^\r\n\x85\u2028\u2029\0]*+)?\0"
)


class Node:
    """
    One node.

    Attributes:
        kind: SCALAR, ALIAS, SEQUENCE or MAPPING.

        mark: Where it starts.

        value: Text of a scalar, name of an alias.

        tag: Its tag in full, ``""`` where there is none.

        implicit: Whether the reader has to find out the type of a scalar.

        children: Items of a sequence; keys and values of a mapping in turn.

        target: The node that an alias stands for.
    """

    __slots__ = ("children", "implicit", "kind", "mark", "tag", "target", "value")

    def __init__(self, event: Event) -> None:
        self.kind = event.kind
        self.mark = event.mark
        self.value = event.value
        self.tag = event.tag
        self.implicit = event.implicit
        self.children: list[Node] = []
        self.target: Node | None = None


class Tree:
    """
    The first document of a text.

    Attributes:
        root: Its node; None where the text holds no document.

        has_more: Whether text behind the document was left unread.
    """

    __slots__ = ("has_more", "root")

    def __init__(self, root: Node | None, *, has_more: bool) -> None:
        self.root = root
        self.has_more = has_more


def compose(source: Source) -> Tree:
    """
    Read the first document of *source*.

    Raises:
        GoYamlError: The text is refused; what stands behind the first document
            is not looked at.
    """
    scanner = Scanner(source)
    try:
        tree = _compose(scanner)
    except TooLargeError:
        raise
    except GoYamlError as error:
        # An error in a text that was cut short may be an error of the cut.
        raise source.refusal or error from None
    if source.refusal is not None and scanner.cursor.pos >= source.length:
        raise source.refusal
    return tree


def _compose(scanner: Scanner) -> Tree:
    scanner.peek()
    events = Events(scanner)
    if not events.start():
        return Tree(None, has_more=False)
    root = _grow(events)
    token = scanner.peek()
    if token.kind == DOCUMENT_END:
        return Tree(root, has_more=_NOTHING.match(scanner.cursor.text, scanner.cursor.pos) is None)
    return Tree(root, has_more=token.kind != STREAM_END)


def _grow(events: Events) -> Node:
    anchors: dict[str, Node] = {}
    open_nodes: list[Node] = []
    count = 0
    while True:
        event = events.next()
        if event.kind == END_EVENT:
            node = open_nodes.pop()
            if not open_nodes:
                return node
            continue
        count += 1
        if count > NODE_LIMIT:
            raise TooLargeError(f"the text has more than {NODE_LIMIT} nodes")
        node = Node(event)
        if event.kind == ALIAS:
            node.target = _must_find(anchors, event)
        elif event.anchor is not None:
            anchors[event.anchor] = node
        if open_nodes:
            open_nodes[-1].children.append(node)
        if event.kind in {SEQUENCE, MAPPING}:
            open_nodes.append(node)
        elif not open_nodes:
            return node


def _must_find(anchors: dict[str, Node], event: Event) -> Node:
    if event.value not in anchors:
        raise GoYamlError(
            f"unknown anchor {event.value[:60]!r} referenced", line=event.mark.line + 1, column=event.mark.column + 1
        )
    return anchors[event.value]
