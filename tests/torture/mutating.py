"""How a mutant differs: the small changes, the places for them, and the code of a function in place of another's."""

import ast
import importlib
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from tests.torture.results import ROOT

_SWAPS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_SUMS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Pow: ast.Mult,
}

EQUIVALENT: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "only the words of a message": lambda line, _: "resolution=" in line or "resolution or" in line or "_SHOWN" in line,
    "mypy proves that nothing gets there": lambda line, _: line.startswith("assert_never("),
    "the last instant of a step's time": lambda line, _: "left_s() <= 0" in line or "left <= 0" in line,
    "a byte more than shows that there are too many": lambda line, _: "largest_bytes + 1" in line,
}
"""Which survivors may live: why, and a rule on the line as it stands and the change."""


class Mutant(ast.NodeTransformer):
    """
    Changes the *number*-th place that can be changed.

    Attributes:
        what: How, ``""`` when there are fewer places.

        where: The function it is in.
    """

    def __init__(self, number: int) -> None:
        self.left = number
        self.what = ""
        self.line = 0
        self.where = ""
        self._within: list[str] = []
        self._functions = 0

    def _is_it(self, node: ast.AST, what: str) -> bool:
        if not self._functions:
            return False  # It runs on import.
        self.left -= 1
        if self.left == -1:
            self.line = getattr(node, "lineno", 0)
            self.what = f"line {self.line}: {what}"
            self.where = ".".join(self._within)
            return True
        return False

    def excuse(self, source: str) -> str:
        """Return why the mutant may live, ``""`` when it may not."""
        line = source.split("\n")[self.line - 1].strip()
        return next((why for why, holds in EQUIVALENT.items() if holds(line, self.what)), "")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        is_inner = self._functions > 0
        self._functions += 1
        self._within += [] if is_inner else [node.name]
        node.body = [self.visit(statement) for statement in node.body]
        self._within = self._within if is_inner else self._within[:-1]
        self._functions -= 1
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self._within.append(node.name)
        node.body = [self.visit(statement) for statement in node.body]
        self._within.pop()
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        swap = _SWAPS.get(type(node.ops[0]))
        if len(node.ops) == 1 and swap and self._is_it(node, f"{type(node.ops[0]).__name__} becomes {swap.__name__}"):
            node.ops = [swap()]
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        name, other = ("and", ast.Or()) if isinstance(node.op, ast.And) else ("or", ast.And())
        if self._is_it(node, f"{name} becomes {'or' if name == 'and' else 'and'}: {ast.unparse(node)[:60]}"):
            node.op = other
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return node.operand if isinstance(node.op, ast.Not) and self._is_it(node, "not is left out") else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        swap = _SUMS.get(type(node.op))
        is_text = any(isinstance(part, ast.JoinedStr) or _is_text(part) for part in (node.left, node.right))
        if swap and not is_text and self._is_it(node, f"{ast.unparse(node)[:60]} by {swap.__name__}"):
            node.op = swap()
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool):
            if self._is_it(node, f"{node.value} becomes {not node.value}"):
                return ast.Constant(not node.value)
        elif isinstance(node.value, int | float) and self._is_it(node, f"{node.value} becomes {node.value + 1}"):
            return ast.Constant(node.value + 1)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node  # The words of a message.

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        self.generic_visit(node)
        return ast.Pass() if self._is_it(node, f"{ast.unparse(node)[:60]} is left out") else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        is_call = isinstance(node.value, ast.Call)
        return ast.Pass() if is_call and self._is_it(node, f"{ast.unparse(node)[:60]} is left out") else node


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


def places(room: str) -> Iterator[tuple[str, int]]:
    """Yield every place of a file or folder that can be changed."""
    path = ROOT / room
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        counter = Mutant(10**9)
        counter.visit(ast.parse(file.read_text()))
        yield from ((str(file.relative_to(ROOT)), number) for number in range(10**9 - counter.left))


def swap_code(file: str, changed: types.CodeType) -> None:
    """Let every function of the module in *file* run the code that it has in *changed*."""
    module = importlib.import_module(file.removesuffix(".py").replace("/", "."))
    codes = {code.co_qualname: code for code in _codes(changed)}
    for function in _functions(vars(module), module.__name__, set()):
        function.__code__ = codes.get(function.__qualname__, function.__code__)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield inner
            yield from _codes(inner)


def _functions(names: Mapping[str, Any], module: str, done: set[int]) -> Iterator[types.FunctionType]:
    for value in list(names.values()):
        if id(value) in done:
            continue
        done.add(id(value))
        parts = (value, *(getattr(value, name, None) for name in ("__func__", "__wrapped__", "fget")))
        yield from (part for part in parts if isinstance(part, types.FunctionType) and part.__module__ == module)
        if isinstance(value, type) and value.__module__ == module:
            yield from _functions(vars(value), module, done)
