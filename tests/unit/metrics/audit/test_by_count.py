"""A difference that is too large to be read, told by its counts."""

import pytest

from metrics.audit.cuts import Cut
from metrics.audit.fingerprints import Difference, Fingerprint
from metrics.audit.job.record_comparison import by_count
from metrics.audit.ranges import FrozenPartition, OffsetRange
from replication.domain.offsets.offset_run import OffsetRun
from replication.domain.reporting.audit_words import FindingKind

BEFORE, AFTER = OffsetRun(0, 0, 1_000_000), OffsetRun(600_000, 1_000_000, 400_000)


@pytest.mark.parametrize(
    ("runs", "kind"),
    [((BEFORE, AFTER), "duplicate"), ((OffsetRun(0, 0, 700_000), AFTER), "unexpected"), ((), "unexpected")],
    ids=["all written by runs", "some written by unknown producers", "no runs"],
)
def test_what_a_restart_copied_again_stands_before_the_cut_and_is_a_duplicate(
    runs: tuple[OffsetRun, ...], kind: FindingKind
) -> None:
    partition = FrozenPartition(partition=0, source_start=0, target_start=0, end=Cut(1_000_000, 1_400_000), runs=runs)
    last_before = OffsetRange(
        number=0, partition=0, source_from=596_000, source_to=600_000, target_from=596_000, target_to=1_000_000
    )

    found = by_count(Difference(last_before, Fingerprint(4_000), Fingerprint(404_000)), partition)

    assert (found.kind, found.records) == (kind, 400_000)
