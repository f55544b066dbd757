"""A file that is imported, stored, exported and imported again changes nothing, in every format."""

import pytest
from django.db import transaction
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from replication.config.tree import PropertyTree, TreeFormat, read_tree, write_tree
from srm_service.configuration.cells import Cells, edits_between
from srm_service.configuration.place_rules import broken_limits
from srm_service.configuration.selectors import stored_cells, tree_of
from srm_service.configuration.transfer.exporting import exported
from srm_service.configuration.transfer.importing import merged
from srm_service.configuration.versioning import NextVersion, commit_version, derived_from, locked_head
from tests.unit.replication.config.tree.generated_files import FILES

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
_ROLLED_BACK = [HealthCheck.function_scoped_fixture]  # each example is rolled back


@pytest.mark.parametrize("format", FILES)
@settings(max_examples=20, suppress_health_check=_SLOW)
@given(data=st.data())
def test_a_stored_file_is_exported_without_loss(format: TreeFormat, data: st.DataObject) -> None:
    check(format, data)


@pytest.mark.large
@pytest.mark.parametrize("format", FILES)
@settings(max_examples=1_000, suppress_health_check=_SLOW)
@given(data=st.data())
def test_a_thousand_stored_files_are_exported_without_loss(format: TreeFormat, data: st.DataObject) -> None:
    check(format, data)


def check(format: TreeFormat, data: st.DataObject) -> None:
    """Import a generated file, store it, export it, and import the export."""
    first = read_tree(data.draw(FILES[format]), format=format, name="first").tree
    stored = merged({}, {}, first)

    written = write_tree(tree_of(stored, first.dialect), format=format)
    second = read_tree(written.text, format=format, name="second").tree
    again = merged(stored, {}, second)

    assert second.dialect == first.dialect
    assert list(again) == list(stored)
    assert [edit for edit in edits_between(stored, again) if edit.is_visible] == []


@pytest.mark.django_db
@pytest.mark.parametrize("format", FILES)
@settings(max_examples=20, suppress_health_check=[*_SLOW, *_ROLLED_BACK])
@given(data=st.data())
def test_a_file_in_the_database_is_exported_and_imported_again_without_a_change(
    format: TreeFormat, data: st.DataObject
) -> None:
    first = read_tree(data.draw(FILES[format]), format=format, name="first").tree
    with transaction.atomic():
        stored = _in_database(first)
        second = read_tree(exported(format).text, format=format, name="second").tree
        transaction.set_rollback(True)
    again = merged(stored, {}, second)

    assert list(again) == list(stored) == [each.place for each in first.properties]
    assert [edit for edit in edits_between(stored, again) if edit.is_visible] == []


def _in_database(tree: PropertyTree) -> Cells:
    """Store the tree as the first version, and return the rows of the tables. No flow follows from random values."""
    edits = edits_between({}, merged({}, {}, tree))
    assume(not broken_limits((edit.place, edit.after) for edit in edits if edit.after))
    step = NextVersion(edits=edits, derived=derived_from({}, tree.dialect), findings=(), is_new=True)
    commit_version(locked_head(), step, dialect=tree.dialect, by="ann", comment="", request_id="")
    return stored_cells()
