"""
The text as tokens.

Whether a token begins a key is known only when its ``:`` comes, so tokens wait
in a queue while one of them may still turn out to be a key. The bookkeeping
follows the Go scanner to the letter, slips included: it decides which broken
texts are refused and which are read as something else.
"""

from collections import deque
from collections.abc import Callable
from typing import Final

from migrate.goyaml.cursor import BLANK_OR_END, BLANKS, BREAKS, Cursor
from migrate.goyaml.scalars import scan_block, scan_plain, scan_quoted
from migrate.goyaml.source import END, Source
from migrate.goyaml.tags import scan_anchor, scan_directive, scan_tag
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
    STREAM_START,
    TAG,
    VALUE,
    Mark,
    Token,
)

DEPTH_LIMIT: Final = 10_000
"""
Levels of flow collections, of indentation, and of the JSON that comes out.

Source: go.yaml.in/yaml/v2 2.4.4, ``scannerc.go`` (flow level, indents); encoding/json, ``scanner.go`` (nesting).
"""

KEY_LENGTH_LIMIT: Final = 1024
"""
Characters in which the ``:`` of a key must follow, all on one line.

Source: go.yaml.in/yaml/v2 2.4.4, ``scannerc.go``, validity of a simple key.
"""

_NEVER_PLAIN: Final = BLANK_OR_END | frozenset("-?:,[]{}#&*!|>'\"%@`")
_START: Final = Mark(0, 0, 0)


class _SimpleKey:
    __slots__ = ("mark", "number", "possible", "required")

    def __init__(self, number: int, mark: Mark, *, possible: bool, required: bool) -> None:
        self.number = number
        self.mark = mark
        self.possible = possible
        self.required = required


class Scanner:
    """Tokens of one text, on demand: nothing is scanned before it is asked for."""

    def __init__(self, source: Source) -> None:
        self.cursor = Cursor(source)
        self._queue: deque[Token] = deque()
        self._taken = 0
        self._ready = False
        self._started = False
        self._flow_level = 0
        self._indent = -1
        self._indents: list[int] = []
        self._key_allowed = True
        self._keys: list[_SimpleKey] = [_SimpleKey(0, _START, possible=False, required=False)]
        self._key_of_token: dict[int, int] = {}
        self._last_token = -4

    def peek(self) -> Token:
        """Return the next token and leave it."""
        if not self._ready:
            self._fetch_more()
        return self._queue[0]

    def skip(self) -> None:
        """Step over the token that ``peek`` returned."""
        self._ready = False
        self._taken += 1
        self._queue.popleft()

    def _fetch_more(self) -> None:
        while True:
            if self._queue:
                level = self._key_of_token.get(self._taken)
                if level is None or not self._is_valid(self._keys[level]):
                    break
            self._fetch_next()
        self._ready = True

    def _fetch_next(self) -> None:
        cursor = self.cursor
        if not self._started:
            self._started = True
            self._queue.append(Token(STREAM_START, _START))
            return
        self._skip_to_token()
        self._unroll(cursor.pos - cursor.line_start)
        char = cursor.text[cursor.pos]
        self._last_token = cursor.pos
        if char == END:
            self._fetch_stream_end()
        elif cursor.pos == cursor.line_start and self._fetch_line_indicator(char):
            return
        elif (fetch := _FETCHERS.get(char)) is None or not fetch(self):
            self._fetch_plain(char)

    def _fetch_line_indicator(self, char: str) -> bool:
        """Fetch what counts at the start of a line only: a directive, ``---`` or ``...``."""
        cursor = self.cursor
        if char == "%":
            self._leave_blocks()
            self._queue.append(scan_directive(cursor))
            return True
        if char in "-." and cursor.at_document_indicator():
            self._leave_blocks()
            self._append(DOCUMENT_START if char == "-" else DOCUMENT_END, 3)
            return True
        return False

    def _leave_blocks(self) -> None:
        self._unroll(-1)
        self._forget_key()
        self._key_allowed = False

    def _fetch_stream_end(self) -> None:
        cursor = self.cursor
        if cursor.pos != cursor.line_start:
            # A key must have its ":" on its line; the end of the text counts as the end of the line.
            cursor.line += 1
            cursor.line_start = cursor.pos
        self._leave_blocks()
        self._queue.append(Token(STREAM_END, self.cursor.mark()))

    def _skip_to_token(self) -> None:
        cursor = self.cursor
        text = cursor.text
        while True:
            if cursor.pos == cursor.line_start and cursor.pos < cursor.source.doubled_bom:
                self._skip_mistaken_bom()
            if text[cursor.pos] in BLANKS:
                if self._flow_level or not self._key_allowed:
                    cursor.skip_blanks()
                else:
                    cursor.skip_spaces()
            if text[cursor.pos] == "#":
                cursor.rest_of_line()
            if text[cursor.pos] not in BREAKS:
                return
            cursor.read_break()
            if not self._flow_level:
                self._key_allowed = True

    def _skip_mistaken_bom(self) -> None:
        # The Go reader looks for the mark at the start of its buffer instead of at the cursor.
        cursor = self.cursor
        if max(self._last_token + 4, cursor.pos + 1) <= cursor.source.doubled_bom and cursor.text[cursor.pos] != END:
            cursor.pos += 1

    def _is_valid(self, key: _SimpleKey) -> bool:
        if not key.possible:
            return False
        if key.mark.line < self.cursor.line or key.mark.position + KEY_LENGTH_LIMIT < self.cursor.pos:
            if key.required:
                self.cursor.fail("could not find expected ':'", key.mark)
            key.possible = False
            return False
        return True

    def _save_key(self) -> None:
        if not self._key_allowed:
            return
        mark = self.cursor.mark()
        required = not self._flow_level and self._indent == mark.column
        self._forget_key()
        number = self._taken + len(self._queue)
        self._keys[-1] = _SimpleKey(number, mark, possible=True, required=required)
        self._key_of_token[number] = len(self._keys) - 1

    def _forget_key(self) -> None:
        key = self._keys[-1]
        if key.possible:
            if key.required:
                self.cursor.fail("could not find expected ':'", key.mark)
            key.possible = False
            self._key_of_token.pop(key.number, None)

    def _roll(self, kind: int, mark: Mark, number: int = -1) -> None:
        """Open a block collection at the column of *mark* when it stands deeper than the one around it."""
        if self._flow_level or self._indent >= mark.column:
            return
        self._indents.append(self._indent)
        self._indent = mark.column
        if len(self._indents) > DEPTH_LIMIT:
            self.cursor.fail(f"exceeded max depth of {DEPTH_LIMIT}", mark)
        self._insert(number - self._taken if number > -1 else -1, Token(kind, mark))

    def _unroll(self, column: int) -> None:
        if self._flow_level:
            return
        while self._indent > column:
            self._queue.append(Token(BLOCK_END, self.cursor.mark()))
            self._indent = self._indents.pop()

    def _insert(self, position: int, token: Token) -> None:
        if position < 0:
            self._queue.append(token)
        else:
            self._queue.insert(position, token)

    def _append(self, kind: int, width: int = 1) -> bool:
        self._queue.append(Token(kind, self.cursor.mark()))
        self.cursor.pos += width
        return True

    def _fetch_flow_start(self, kind: int) -> bool:
        self._save_key()
        number = self._taken + len(self._queue)
        self._keys.append(_SimpleKey(number, self.cursor.mark(), possible=False, required=False))
        self._flow_level += 1
        if self._flow_level > DEPTH_LIMIT:
            self.cursor.fail(f"exceeded max depth of {DEPTH_LIMIT}")
        self._key_allowed = True
        return self._append(kind)

    def _fetch_flow_end(self, kind: int) -> bool:
        self._forget_key()
        if self._flow_level:
            self._flow_level -= 1
            self._key_of_token.pop(self._keys.pop().number, None)
        self._key_allowed = False
        return self._append(kind)

    def _fetch_flow_entry(self) -> bool:
        self._forget_key()
        self._key_allowed = True
        return self._append(FLOW_ENTRY)

    def _next_is_blank(self) -> bool:
        return self.cursor.text[self.cursor.pos + 1] in BLANK_OR_END

    def _fetch_block_entry(self) -> bool:
        if not self._next_is_blank():
            return False
        if not self._flow_level:
            if not self._key_allowed:
                self.cursor.fail("block sequence entries are not allowed in this context")
            self._roll(BLOCK_SEQUENCE_START, self.cursor.mark())
        self._forget_key()
        self._key_allowed = True
        return self._append(BLOCK_ENTRY)

    def _fetch_key(self) -> bool:
        if not self._flow_level:
            if not self._next_is_blank():
                return False
            if not self._key_allowed:
                self.cursor.fail("mapping keys are not allowed in this context")
            self._roll(BLOCK_MAPPING_START, self.cursor.mark())
        self._forget_key()
        self._key_allowed = not self._flow_level
        return self._append(KEY)

    def _fetch_value(self) -> bool:
        if not self._flow_level and not self._next_is_blank():
            return False
        key = self._keys[-1]
        if self._is_valid(key):
            self._insert(key.number - self._taken, Token(KEY, key.mark))
            self._roll(BLOCK_MAPPING_START, key.mark, key.number)
            key.possible = False
            self._key_of_token.pop(key.number, None)
            self._key_allowed = False
        else:
            if not self._flow_level:
                if not self._key_allowed:
                    self.cursor.fail("mapping values are not allowed in this context")
                self._roll(BLOCK_MAPPING_START, self.cursor.mark())
            self._key_allowed = not self._flow_level
        return self._append(VALUE)

    def _fetch_anchor(self, kind: int) -> bool:
        self._save_key()
        self._key_allowed = False
        mark = self.cursor.mark()
        self._queue.append(Token(kind, mark, scan_anchor(self.cursor)))
        return True

    def _fetch_tag(self) -> bool:
        self._save_key()
        self._key_allowed = False
        mark = self.cursor.mark()
        self._queue.append(Token(TAG, mark, *scan_tag(self.cursor)))
        return True

    def _fetch_block_scalar(self, *, literal: bool) -> bool:
        if self._flow_level:
            return False
        self._forget_key()
        self._key_allowed = True
        mark = self.cursor.mark()
        self._queue.append(Token(SCALAR, mark, scan_block(self.cursor, self._indent, literal=literal)))
        return True

    def _fetch_quoted(self, quote: str) -> bool:
        self._save_key()
        self._key_allowed = False
        mark = self.cursor.mark()
        self._queue.append(Token(SCALAR, mark, scan_quoted(self.cursor, quote)))
        return True

    def _fetch_plain(self, char: str) -> None:
        cursor = self.cursor
        if char in _NEVER_PLAIN and not self._may_start_plain(char):
            cursor.fail("found character that cannot start any token")
        self._save_key()
        self._key_allowed = False
        mark = cursor.mark()
        value, new_line = scan_plain(cursor, self._indent + 1, in_flow=self._flow_level > 0)
        self._queue.append(Token(SCALAR, mark, value, plain=True))
        if new_line:
            self._key_allowed = True

    def _may_start_plain(self, char: str) -> bool:
        following = self.cursor.text[self.cursor.pos + 1]
        if char == "-":
            return following not in BLANKS
        return char in "?:" and not self._flow_level and following not in BLANK_OR_END


_FETCHERS: Final[dict[str, Callable[[Scanner], bool]]] = {
    "[": lambda scanner: scanner._fetch_flow_start(FLOW_SEQUENCE_START),  # noqa: SLF001
    "{": lambda scanner: scanner._fetch_flow_start(FLOW_MAPPING_START),  # noqa: SLF001
    "]": lambda scanner: scanner._fetch_flow_end(FLOW_SEQUENCE_END),  # noqa: SLF001
    "}": lambda scanner: scanner._fetch_flow_end(FLOW_MAPPING_END),  # noqa: SLF001
    ",": Scanner._fetch_flow_entry,  # noqa: SLF001
    "-": Scanner._fetch_block_entry,  # noqa: SLF001
    "?": Scanner._fetch_key,  # noqa: SLF001
    ":": Scanner._fetch_value,  # noqa: SLF001
    "*": lambda scanner: scanner._fetch_anchor(ALIAS),  # noqa: SLF001
    "&": lambda scanner: scanner._fetch_anchor(ANCHOR),  # noqa: SLF001
    "!": Scanner._fetch_tag,  # noqa: SLF001
    "|": lambda scanner: scanner._fetch_block_scalar(literal=True),  # noqa: SLF001
    ">": lambda scanner: scanner._fetch_block_scalar(literal=False),  # noqa: SLF001
    "'": lambda scanner: scanner._fetch_quoted("'"),  # noqa: SLF001
    '"': lambda scanner: scanner._fetch_quoted('"'),  # noqa: SLF001
}
"""By first character; a fetcher returns False where the character begins a plain scalar."""
