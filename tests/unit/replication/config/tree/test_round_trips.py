"""A file becomes a tree, the tree a file, and that file the same tree: order, places, values and comments."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replication.config.tree import PropertyTree, TreeFormat, read_tree, write_tree
from tests.unit.replication.config.tree.generated_files import FILES


def content(tree: PropertyTree) -> list[tuple[object, str, str]]:
    """Everything but the lines of the file."""
    return [(each.place, each.value, each.comment) for each in tree.properties]


def _place(row: tuple[object, str, str]) -> str:
    """Rows of one place stay in their order: the last one counts."""
    return str(row[0])


SOME_FILES = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
MANY_FILES = settings(SOME_FILES, max_examples=1_000)


@pytest.mark.parametrize("format", FILES)
@SOME_FILES
@given(data=st.data())
def test_a_file_that_is_imported_and_exported_is_imported_as_the_same_tree(
    format: TreeFormat, data: st.DataObject
) -> None:
    assert_is_the_same_tree(format, data.draw(FILES[format]))


@pytest.mark.large
@pytest.mark.parametrize("format", FILES)
@MANY_FILES
@given(data=st.data())
def test_a_thousand_files_are_imported_as_the_same_trees(format: TreeFormat, data: st.DataObject) -> None:
    assert_is_the_same_tree(format, data.draw(FILES[format]))


def assert_is_the_same_tree(format: TreeFormat, text: str) -> None:
    first = read_tree(text, format=format, name="first").tree

    written = write_tree(first, format=format)
    second = read_tree(written.text, format=format, name="second").tree

    assert second.dialect == first.dialect
    if format == "operator":  # heartbeats of a flow may be written in the resource of the opposite one, and come later
        assert sorted(content(second), key=_place) == sorted(content(first), key=_place)
    else:
        assert content(second) == content(first)
    assert not [finding for finding in written.findings if finding.severity != "note"]
