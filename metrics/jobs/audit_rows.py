"""The rows of both sides of one frozen topic, hashed; and which of them are the flow's own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession

from metrics.audit.coverage import Span, read_spans, united, within, without, written_spans
from metrics.audit.left_out import LeftOut, not_copied, within_range
from metrics.audit.ranges import FrozenPartition, Range, Side
from metrics.audit.spec import AuditSpec
from metrics.jobs.audit_asides import Aside
from metrics.jobs.audit_frames import Piece, assigned, hashed, pieces_of
from metrics.jobs.audit_freeze import FrozenTopic
from metrics.jobs.audit_reads import topic_rows
from replication.domain.slot import ClusterClient


class TopicRows:
    """Builds DataFrames; runs no job."""

    def __init__(
        self,
        session: SparkSession,
        spec: AuditSpec,
        clusters: Mapping[Side, ClusterClient],
        frozen: FrozenTopic,
        left_out: Iterable[LeftOut] = (),
    ) -> None:
        """`left_out` is what was recorded as not copied, of any partition of the topic."""
        self.session = session
        self.spec = spec
        self.frozen = frozen
        self._clusters = clusters
        self._written = {each.partition: written_spans(each.runs) for each in frozen.partitions}
        self._read = {each.partition: read_spans(each.runs) for each in frozen.partitions}
        echoes = {each.partition: written_spans(each.foreign) for each in frozen.partitions}
        recorded = list(left_out)
        self._left_out = {
            number: not_copied((each for each in recorded if each.partition == number), _both(own, self._read[number]))
            for number, own in echoes.items()
        }
        self._not_expected = {
            number: _both(own, [(each.first, each.next) for each in self._left_out[number]])
            for number, own in echoes.items()
        }

    def partition(self, number: int) -> FrozenPartition:
        return self.frozen.partitions[number]

    def hashed(self, side: Side, spans: Mapping[int, Span]) -> DataFrame:
        """The records in [first, next) of each partition named."""
        pair = self.frozen.pair
        topic = pair.upstream if side == "source" else pair.remote
        isolation = self.spec.isolation if side == "source" else "read_committed"
        rows = topic_rows(self.session, self._clusters[side], topic, spans, isolation)
        return hashed(
            rows,
            with_timestamp=self.frozen.with_timestamp,
            strict=self.spec.strict,
            ignored_headers=self.spec.ignored_headers,
        )

    def assigned(self, side: Side, spans: Mapping[int, Span], pieces: Sequence[Piece]) -> DataFrame:
        return assigned(self.session, self.hashed(side, spans), pieces)

    def range_pieces(self, side: Side, each: Range) -> list[Piece]:
        """The offsets of a range that are compared."""
        if side == "source":
            spans = self._source_spans(each.partition, each.source_from, each.source_to)
        else:
            spans = self._target_spans(each)
        return pieces_of(each.partition, each.number, spans)

    def expected(self, partition: int, first: int, following: int) -> list[Span]:
        """Source offsets that ought to have been copied: not written by the flow the other way, not left out."""
        return without(self._not_expected[partition], first, following)

    def not_read(self, partition: int, first: int, following: int) -> list[Span]:
        """Source offsets that ought to have been copied and that no run names."""
        holes = without(self._read[partition], first, following)
        return [span for low, high in holes for span in self.expected(partition, low, high)]

    def written(self, partition: int) -> Sequence[Span]:
        """Target offsets our flow is known to have written."""
        return self._written[partition]

    def left_out(self, partition: int) -> Sequence[LeftOut]:
        """Recorded as not copied, and named by no run; ascending and disjoint."""
        return self._left_out[partition]

    def asides(self, side: Side, each: Range) -> Iterator[Aside]:
        """What of a range is counted beside the comparison.

        Where only counts are compared, what no run names is told from the whole: its stretches may be very many.
        """
        number = each.partition
        if side == "source":
            for one in within_range(self._left_out[number], each.source_from, each.source_to):
                yield Aside(number, side, ((one.first, one.next),), one)
            if self.spec.counts_only:
                whole = self.expected(number, each.source_from, each.source_to)
                yield Aside(number, side, tuple(whole), around=each.number)
        elif self.spec.counts_only:
            yield Aside(number, side, ((each.target_from, each.target_to),), around=each.number)
        elif self.counts_local(each):
            yield Aside(number, side, tuple(without(self._written[number], each.target_from, each.target_to)))

    def counts_local(self, each: Range) -> bool:
        """Whether records of others in a range are told by runs, and not by their contents alone."""
        return self.spec.shared and (
            bool(within(self._read[each.partition], each.source_from, each.source_to))
            or not self.expected(each.partition, each.source_from, each.source_to)
        )

    def _source_spans(self, partition: int, first: int, following: int) -> list[Span]:
        if self.spec.counts_only:
            return within(self._read[partition], first, following)
        return self.expected(partition, first, following)

    def _target_spans(self, each: Range) -> list[Span]:
        """Where nobody else writes, all of them are ours; and where no run is known they may be."""
        if self.spec.counts_only or self.counts_local(each):
            return within(self._written[each.partition], each.target_from, each.target_to)
        return [(each.target_from, each.target_to)]


def _both(some: Sequence[Span], others: Sequence[Span]) -> list[Span]:
    return united(sorted((*some, *others)))
