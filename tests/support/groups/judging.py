"""Judges a translated offset by reading: what would a consumer that continues there skip or read again?"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from replication.domain.groups.translation import Translation
from tests.support.kafka.kafka_records import read_all


class Copied(NamedTuple):
    """A record of the remote partition, and the source offset that it was copied from."""

    downstream: int
    upstream: int
    key: bytes = b""
    is_on_source: bool = True  # False: compaction or retention has removed it since


def read_copies(bootstrap: str, remote: str, offsets: Mapping[bytes, int], on_source: Container[int]) -> list[Copied]:
    """Every committed record of partition 0; `offsets` are source offsets by value, `on_source` those still there."""
    (records,) = read_all(bootstrap, remote)
    found = ((record, offsets[record.value or b""]) for record in records)
    return [Copied(record.offset, upstream, record.key or b"", upstream in on_source) for record, upstream in found]


def offsets_on(bootstrap: str, topic: str) -> set[int]:
    """The offsets of all records in partition 0."""
    (records,) = read_all(bootstrap, topic, isolation="read_uncommitted")
    return {record.offset for record in records}


class Judged(NamedTuple):
    """The outcome for a consumer that has read everything before its commit, and continues at one place."""

    skipped: int  # records that it never reads
    rereads: int
    is_first: bool  # the record there is the first that it has not read


def judge(place: int, committed: int, copies: Sequence[Copied]) -> Judged:
    """Return what happens from `place` on; `copies` are all of the partition, by place.

    A record that compaction has removed from the source is not skipped if the consumer reads a newer one of its key: a
    flow that copies again after a kill copies only what the source still has.
    """
    behind = [copy.upstream for copy in copies if copy.downstream >= place]
    newest: dict[bytes, int] = {}
    for copy in copies:
        if copy.downstream >= place:
            newest[copy.key] = max(copy.upstream, newest.get(copy.key, 0))
    unread = {
        copy.upstream
        for copy in copies
        if copy.upstream >= committed
        and (copy.downstream >= place or copy.is_on_source or newest.get(copy.key, -1) <= copy.upstream)
    }
    first = behind[0] if behind else None
    return Judged(
        skipped=len(unread - set(behind)),
        rereads=sum(upstream < committed for upstream in behind),
        is_first=first == min(unread, default=None),
    )


@dataclass
class Tally:
    """Counts what a translator gives, and remembers what is wrong."""

    name: str
    kinds: Counter[str] = field(default_factory=Counter)
    skipped: int = 0
    rereads: int = 0
    most_rereads: int = 0
    wrong: list[str] = field(default_factory=list)

    def note(self, kind: str, judged: Judged | None) -> None:
        """Count one place, or that there is none."""
        self.kinds[kind] += 1
        if judged is not None:
            self.skipped += judged.skipped
            self.rereads += judged.rereads
            self.most_rereads = max(self.most_rereads, judged.rereads)

    def note_ours(self, what: str, found: Translation, committed: int, copies: Sequence[Copied]) -> None:
        """Judge one of our translations by everything that it says."""
        judged = None if found.downstream is None else judge(found.downstream, committed, copies)
        self.note(f"{found.kind}: {found.reason}", judged)
        if judged is not None:
            self.wrong += [f"{what} at {committed}: {error} ({found}, {judged})" for error in _errors(found, judged)]

    def __str__(self) -> str:
        kinds = "".join(f"\n    {count:6,} {kind}" for kind, count in sorted(self.kinds.items()))
        return (
            f"{self.name}: {self.skipped:,} records skipped, {self.rereads:,} read again "
            f"(at most {self.most_rereads:,} by one group and partition){kinds}"
        )


def _errors(found: Translation, judged: Judged) -> Iterable[str]:
    if judged.skipped:
        yield "skips records"
    if found.kind == "exact" and not found.rereads and not judged.is_first:
        yield "is not the first unread record"
    if found.rereads is not None and judged.rereads > found.rereads:
        yield "reads more again than it says"
