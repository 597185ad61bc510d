"""Bad input is mended by typing something else, so its next move says what: a command, or a flag."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.errors import MigrateError
from migrate.store.snapshots import load_snapshot, save_snapshot
from tests.builders import a_snapshot

ROOM = Path(__file__).parents[2] / "migrate"
TYPED = re.compile(r"maas-migrate |kubectl |oc login|mkdir -p |--[a-z]|-o ")

BY_HAND = {
    "sandbox/seeding.py": 3,  # A manifest that is no manifest is mended in an editor.
    "store/sources.py": 1,  # A link in a folder is put right there.
    "store/sources_parse.py": 1,  # It takes its words from its callers, who name the place in the file.
    "store/atomic.py": 1,  # It takes its words from its callers.
}
"""How many calls a file has whose next move cannot be typed."""


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "BadInputError":
            yield node


def words(node: ast.AST, constants: dict[str, ast.AST]) -> Iterator[str]:
    """Yield the texts of an expression, those of the constants that it names among them."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value
        elif isinstance(inner, ast.Name) and inner.id in constants:
            yield from words(constants[inner.id], {})


def assigned(tree: ast.AST) -> dict[str, ast.AST]:
    found: dict[str, ast.AST] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            found[node.target.id] = node.value
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node.value
    return found


def untyped(path: Path) -> list[str]:
    """Return the next moves of bad input in a file that nobody can type."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = assigned(tree)
    found = []
    for call in calls(tree):
        [move] = [keyword.value for keyword in call.keywords if keyword.arg == "resolution"]
        if not TYPED.search(" ".join(words(move, constants))):
            found.append(f"{path.name}:{call.lineno}: {ast.unparse(move)}")
    return found


FILES = sorted(path for path in ROOM.rglob("*.py") if any(calls(ast.parse(path.read_text(encoding="utf-8")))))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOM)))
def test_the_next_move_of_bad_input_can_be_typed(path: Path) -> None:
    found = untyped(path)

    assert len(found) == BY_HAND.get(str(path.relative_to(ROOM)), 0), found


def test_a_file_that_is_not_there_needs_no_look_at_the_space_on_the_disk(tmp_path: Path) -> None:
    with pytest.raises(MigrateError) as read:
        load_snapshot(tmp_path / "none")
    with pytest.raises(MigrateError) as written:
        save_snapshot(tmp_path / "none" / "s.json", a_snapshot())

    assert read.value.resolution == f"Check its name and its modes: ls -la {tmp_path}"
    assert written.value.resolution.endswith(f"; df {tmp_path / 'none'}")
