"""A file that is imported, stored, exported and imported again changes nothing, in every format."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replication.config.tree import TreeFormat, read_tree, write_tree
from srm_service.configuration.cells import edits_between
from srm_service.configuration.selectors import tree_of
from srm_service.configuration.transfer.importing import imported
from tests.unit.replication.config.tree.generated_files import FILES


@pytest.mark.parametrize("format", FILES)
@settings(max_examples=1_000, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_a_stored_file_is_exported_without_loss(format: TreeFormat, data: st.DataObject) -> None:
    first = read_tree(data.draw(FILES[format]), format=format, name="first").tree
    stored = imported({}, first)

    written = write_tree(tree_of(stored, first.dialect), format=format)
    second = read_tree(written.text, format=format, name="second").tree
    again = imported(stored, second)

    assert second.dialect == first.dialect
    assert list(again) == list(stored)
    assert [edit for edit in edits_between(stored, again) if edit.is_visible] == []
