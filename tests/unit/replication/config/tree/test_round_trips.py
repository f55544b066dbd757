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


@pytest.mark.parametrize("format", FILES)
@settings(max_examples=1_000, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_a_file_that_is_imported_and_exported_is_imported_as_the_same_tree(
    format: TreeFormat, data: st.DataObject
) -> None:
    text = data.draw(FILES[format])
    first = read_tree(text, format=format, name="first").tree

    written = write_tree(first, format=format)
    second = read_tree(written.text, format=format, name="second").tree

    assert second.dialect == first.dialect
    if format == "operator":  # heartbeats of a flow may be written in the resource of the opposite one, and come later
        assert sorted(content(second), key=_place) == sorted(content(first), key=_place)
    else:
        assert content(second) == content(first)
    assert not [finding for finding in written.findings if finding.severity != "note"]
