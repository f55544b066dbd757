"""Figures of who owns state in the copying engine. `python -m tests.architecture.owned_state` prints them."""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from tests.support.engine.slot_in_memory import SlotInMemory
from tests.unit.replication.tasks.intake import stored

ROOT = Path(__file__).resolve().parents[2]
TASKS = ROOT / "replication/tasks"
PORTS = ROOT / "replication/ports"
PACKAGE = f"{ROOT}/replication/"
CLUSTER = f"{PACKAGE}memory/"
RECORDS = 10
OWNERS = ("self", "SlotMetrics")  # the latter for its counter of the whole process
_ADDING = {"add", "append", "appendleft", "extend", "insert", "setdefault", "update"}
MUTATORS = _ADDING | {"clear", "discard", "pop", "popitem", "popleft", "remove"}
QUIET_S = 2.9  # after the start, and between two rounds of the parts that only watch


def trees(folder: Path = TASKS) -> dict[str, ast.Module]:
    """Every source file below a folder, parsed; of the engine if none is named."""
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in sorted(folder.rglob("*.py"))}


def attributes_of(tree: ast.Module) -> dict[str, set[str]]:
    """The instance attributes of each class in a file: fields, and what methods assign on `self`."""
    found: dict[str, set[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            names = found[node.name] = {target.attr for target in _assigned(node) if _name(target.value) == "self"}
            for statement in node.body:
                is_field = isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
                if is_field and "ClassVar" not in ast.unparse(statement.annotation):  # type: ignore[attr-defined]
                    names.add(statement.target.id)  # type: ignore[attr-defined]
    return found


def class_sizes() -> dict[str, int]:
    """The number of instance attributes, by file and class."""
    return {
        f"{path}:{name}": len(attributes)
        for path, tree in trees().items()
        for name, attributes in attributes_of(tree).items()
    }


def foreign_writers() -> dict[str, set[str]]:
    """The attributes that code outside of their class changes, and the files that do so."""
    parsed = trees()
    owned = {name for tree in parsed.values() for names in attributes_of(tree).values() for name in names}
    parts = part_methods([*parsed.values(), *trees(PORTS).values()])
    writers: dict[str, set[str]] = defaultdict(set)
    for path, tree in parsed.items():
        for name in changed_elsewhere(tree, parts):
            if name in owned:
                writers[name].add(path)
    return dict(writers)


def changed_elsewhere(tree: ast.AST, parts: Mapping[str, set[str]]) -> Iterator[str]:
    """The names of attributes of other objects that a file assigns, or whose contents it changes.

    An attribute is known by its name: a change of `x.name` counts for every class that has a `name`, unless `x` is
    `self`. Contents change by `x.name[...] = `, by `del` and by calls such as `x.name.append()`; a call of a method
    that the attribute's own class defines (in `parts`) is no change from outside.
    """
    for target in _assigned(tree):
        if _name(target.value) not in OWNERS:
            yield target.attr
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            changed, method = node.value, ""
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
            changed, method = node.func.value, node.func.attr
        else:
            continue
        if not isinstance(changed, ast.Attribute) or _name(changed.value) in OWNERS:
            continue
        if method not in parts.get(changed.attr, ()):
            yield changed.attr


def part_methods(parsed: Iterable[ast.Module]) -> dict[str, set[str]]:
    """The methods of attributes that hold an object of one of these classes, by the attribute's name."""
    found = [node for tree in parsed for node in ast.walk(tree)]
    classes = {
        node.name: {each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
        for node in found
        if isinstance(node, ast.ClassDef)
    }
    methods: dict[str, set[str]] = defaultdict(set)
    for node in found:
        if isinstance(node, ast.AnnAssign):
            targets, kind = list[ast.expr]([node.target]), node.annotation
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            targets, kind = node.targets, node.value.func
        else:
            continue
        for target in targets:
            name = target.attr if isinstance(target, ast.Attribute) else _name(target)
            if name is not None:
                methods[name] |= classes.get(_name(kind) or "", set())
    return methods


def _assigned(node: ast.AST) -> Iterator[ast.Attribute]:
    """Attributes that are assigned, augmented or deleted; names in tuples count."""
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store | ast.Del):
            yield each


def _name(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def files_of_one_batch() -> list[str]:
    """The source files that are called between a fetch answer with one raw batch and its committed position.

    The slot has copied a batch before, so that nothing is called that happens once per partition. The clusters are in
    memory: their files, and those that they call, do not count.
    """
    slot = SlotInMemory(commit_interval_ms=5)
    slot.store(stored(0, RECORDS))
    slot.run_until_committed(RECORDS)
    slot.loop.run_for(QUIET_S)
    called: set[str] = set()

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(PACKAGE) and _is_of_the_task(frame):
            called.add(path.removeprefix(f"{ROOT}/"))

    slot.fetcher.on_hand_over = lambda: sys.setprofile(note)
    slot.store(stored(RECORDS, RECORDS))
    before = sys.getprofile()
    try:
        slot.run_until_committed(2 * RECORDS)
    finally:
        sys.setprofile(before)
    slot.close()
    return sorted(called)


def _is_of_the_task(frame: FrameType | None) -> bool:
    """True for calls that the task makes; False for those of the clusters and of the test."""
    while frame is not None:
        path = frame.f_code.co_filename
        if path.startswith((f"{TASKS}/", CLUSTER)):
            return not path.startswith(CLUSTER)
        frame = frame.f_back
    return False


def figures() -> Iterator[str]:
    """The figures, line by line."""
    yield "Largest classes:"
    for name, size in sorted(class_sizes().items(), key=lambda item: -item[1])[:8]:
        yield f"  {size:3} {name}"
    writers = foreign_writers()
    yield f"Attributes changed outside of their class: {len(writers)}"
    for name, paths in sorted(writers.items()):
        yield f"  {name}: {' '.join(sorted(paths))}"
    files = files_of_one_batch()
    yield f"Files that one raw batch crosses: {len(files)}"
    for path in files:
        yield f"  {path}"


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in figures()))
