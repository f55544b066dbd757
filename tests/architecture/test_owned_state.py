"""State of the copying engine has owners: small classes, assigned by themselves, and a short way for a batch."""

import ast

from tests.architecture.owned_state import (
    attributes_of,
    changed_elsewhere,
    class_sizes,
    files_of_one_batch,
    foreign_writers,
    part_methods,
)

MOST_ATTRIBUTES = 20
MOST_FILES_OF_ONE_BATCH = 20


def test_no_class_of_the_engine_has_more_than_twenty_attributes() -> None:
    sizes = class_sizes()

    assert len(sizes) > 30
    assert {name: size for name, size in sizes.items() if size > MOST_ATTRIBUTES} == {}


def test_no_attribute_of_the_engine_is_changed_outside_of_its_class() -> None:
    assert foreign_writers() == {}


def test_one_raw_batch_crosses_twenty_files_at_most() -> None:
    files = files_of_one_batch()

    assert {"replication/tasks/fetch/fetcher.py", "replication/tasks/offsets/position_committer.py"} <= set(files)
    assert len(files) <= MOST_FILES_OF_ONE_BATCH, files


def test_attributes_are_found_in_fields_methods_and_tuples() -> None:
    source = """
class Part:
    field: int

    def __init__(self):
        self.a, self.b = 1, 2
        self.c: int = 3
        self.d += 1
        local.e = 4
"""
    assert attributes_of(ast.parse(source)) == {"Part": {"field", "a", "b", "c", "d"}}


def test_contents_that_others_change_count_unless_the_owner_does_it_by_a_method() -> None:
    parts = """
class Roster:
    def add(self): ...

class Owner:
    roster: Roster
"""
    source = """
self.own["a"] = 1
self.own.append(1)
local["a"] = 1
x.stored["a"] = 1
self.context.augmented["a"] += 1
del x.deleted["a"]
x.y.appended.append(1)
self.x.popped.pop()
x.roster.add(1)
x.roster.clear()
x.read["a"].get("b")
x.assigned = 1
"""
    found = list(changed_elsewhere(ast.parse(source), part_methods([ast.parse(parts)])))

    assert sorted(found) == ["appended", "assigned", "augmented", "deleted", "popped", "roster", "stored"]
