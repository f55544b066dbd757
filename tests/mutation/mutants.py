"""Finds what can be flipped in a module: comparisons, conditions, booleans that are returned, and whole numbers."""

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import TypeVar

_OTHER_COMPARISON: dict[type[ast.cmpop], type[ast.cmpop]] = {
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
_UNTOUCHED = ("annotation", "returns", "decorator_list")
_NEGATIONS = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Node = TypeVar("_Node", bound=ast.AST)
# a node, what puts another one there, and the first line of its statement
_Place = tuple[ast.AST, Callable[[ast.AST], None], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A function with one change in its body."""

    function: str  # its qualified name; of a nested function, that of the outermost one
    line: int
    statement: int  # the first line of the statement
    before: str
    after: str
    code: CodeType

    def __str__(self) -> str:
        return f"{self.function}:{self.line}: {self.before}  ->  {self.after}"


def mutants(source: str, path: str) -> Iterator[Mutant]:
    """Return each mutant of the module; annotations, defaults, log lines and texts stay as they are."""
    tree = ast.parse(source)
    for name, function in _functions(tree.body, ""):
        returns_bool = isinstance(function.returns, ast.Name) and function.returns.id == "bool"
        for node, put, statement in _places(function, 0, "body"):
            for changed in _changes(node, returns_bool=returns_bool):
                put(changed)
                compiled = compile(ast.fix_missing_locations(tree), path, "exec")
                put(node)
                yield Mutant(
                    function=name,
                    line=_line(node),
                    statement=statement,
                    before=_text(node),
                    after=_text(changed),
                    code=code_of(compiled, name),
                )


def with_watch(source: str, path: str, watch: str) -> Iterator[tuple[str, CodeType]]:
    """Return each function's name with its code that calls `watch(line)` before each of its statements."""
    tree = ast.parse(source)
    for _, function in _functions(tree.body, ""):
        for node in list(ast.walk(function)):
            for name in ("body", "orelse", "finalbody"):
                block = getattr(node, name, None)
                if isinstance(block, list):
                    setattr(node, name, [each for known in block for each in (_call(watch, known), known)])
    compiled = compile(ast.fix_missing_locations(tree), path, "exec")
    for name, _ in _functions(ast.parse(source).body, ""):
        yield name, code_of(compiled, name)


def _call(watch: str, statement: ast.stmt) -> ast.stmt:
    call = ast.Call(ast.Name(watch, ast.Load()), [ast.Constant(statement.lineno)], [])
    return ast.copy_location(ast.Expr(call), statement)


def code_of(module: CodeType, name: str) -> CodeType:
    """Return the code of a function by its qualified name."""
    found = module
    for part in name.split("."):
        found = next(each for each in found.co_consts if isinstance(each, CodeType) and each.co_name == part)
    return found


def _functions(body: Sequence[ast.stmt], prefix: str) -> Iterator[tuple[str, _Function]]:
    for each in body:
        if isinstance(each, _Function):
            yield prefix + each.name, each
        elif isinstance(each, ast.ClassDef):
            yield from _functions(each.body, f"{prefix}{each.name}.")


def _places(parent: ast.AST, statement: int, *fields: str) -> Iterator[_Place]:
    """Return all nodes below these fields, except those that stay as they are."""
    for name in fields:
        value = getattr(parent, name)
        for at, child in enumerate(value) if isinstance(value, list) else [(-1, value)]:
            if isinstance(child, ast.AST) and not _stays(child):
                line = child.lineno if isinstance(child, ast.stmt) else statement
                yield child, _setter(parent, name, at), line
                yield from _places(child, line, *(each for each in child._fields if each not in _UNTOUCHED))


def _setter(parent: ast.AST, name: str, at: int) -> Callable[[ast.AST], None]:
    def put(node: ast.AST) -> None:
        if at < 0:
            setattr(parent, name, node)
        else:
            getattr(parent, name)[at] = node

    return put


def _stays(node: ast.AST) -> bool:
    if isinstance(node, ast.JoinedStr | ast.arguments):
        return True
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    return isinstance(call.func.value, ast.Name) and call.func.value.id == "log"


def _changes(node: ast.AST, *, returns_bool: bool) -> Iterator[ast.AST]:
    yield from _other_operators(node)
    yield from _negations(node, returns_bool=returns_bool)
    match node:
        case ast.Constant(value=bool() as known):
            yield _with(node, value=not known)
        case ast.Constant(value=int() as known):
            yield _with(node, value=known + 1)


def _other_operators(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(ops=ops):
            for at, operator in enumerate(ops):
                yield _with(node, ops=[*ops[:at], _OTHER_COMPARISON[type(operator)](), *ops[at + 1 :]])
        case ast.BoolOp(op=operator):
            yield _with(node, op=ast.Or() if isinstance(operator, ast.And) else ast.And())
        case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.AugAssign(op=ast.Add() | ast.Sub()):
            yield _with(node, op=ast.Sub() if isinstance(node.op, ast.Add) else ast.Add())


def _negations(node: ast.AST, *, returns_bool: bool) -> Iterator[ast.AST]:
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) if _is_negatable(test):
            yield _with(node, test=ast.UnaryOp(ast.Not(), test))
        case ast.comprehension(ifs=ifs):
            for at, test in enumerate(ifs):
                if _is_negatable(test):
                    yield _with(node, ifs=[*ifs[:at], ast.UnaryOp(ast.Not(), test), *ifs[at + 1 :]])
        case ast.Return(value=value) if returns_bool and value is not None and _is_negatable(value):
            yield _with(node, value=ast.UnaryOp(ast.Not(), value))


def _is_negatable(test: ast.expr) -> bool:
    """False for a test that another mutant negates."""
    if isinstance(test, ast.Compare):
        return len(test.ops) > 1 or not isinstance(test.ops[0], _NEGATIONS)
    return not isinstance(test, ast.Constant) and not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not))


def _with(node: _Node, **changes: object) -> _Node:
    changed = copy.copy(node)
    for name, value in changes.items():
        setattr(changed, name, value)
    return changed


def _line(node: ast.AST) -> int:
    return int(node.target.lineno if isinstance(node, ast.comprehension) else getattr(node, "lineno", 0))


def _text(node: ast.AST) -> str:
    match node:
        case ast.If(test=test):
            return f"if {ast.unparse(test)}"
        case ast.While(test=test):
            return f"while {ast.unparse(test)}"
        case _:
            return ast.unparse(node).strip().partition("\n")[0]
