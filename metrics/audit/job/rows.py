"""The rows of both sides of one frozen topic, hashed; and which of them are the flow's own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession

from metrics.audit.coverage import Span, read_spans, united, within, without, written_spans
from metrics.audit.job.frames import RangePart, assigned, hashed, pieces_of
from metrics.audit.job.frozen_logs import FrozenTopic
from metrics.audit.job.reads import topic_rows
from metrics.audit.job.recorded_separately import CountedRange
from metrics.audit.ranges import FrozenPartition, OffsetRange, Side
from metrics.audit.recorded_loss import RecordedLoss, not_copied, within_range
from metrics.audit.spec import AuditSpec
from replication.domain.plan.slot import ClusterClient


class TopicRows:
    """Builds DataFrames; runs no job."""

    def __init__(
        self,
        session: SparkSession,
        spec: AuditSpec,
        clusters: Mapping[Side, ClusterClient],
        frozen: FrozenTopic,
        losses: Iterable[RecordedLoss] = (),
    ) -> None:
        """`losses` is what was recorded as not copied, of any partition of the topic."""
        self.session = session
        self.spec = spec
        self.frozen = frozen
        self._clusters = clusters
        self._written = {each.partition: written_spans(each.runs) for each in frozen.partitions}
        self._read = {each.partition: read_spans(each.runs) for each in frozen.partitions}
        echoes = {each.partition: written_spans(each.foreign) for each in frozen.partitions}
        recorded = list(losses)
        self._recorded_losses = {
            number: not_copied((each for each in recorded if each.partition == number), _both(own, self._read[number]))
            for number, own in echoes.items()
        }
        self._not_expected = {
            number: _both(own, [(each.first, each.next) for each in self._recorded_losses[number]])
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

    def assigned(self, side: Side, spans: Mapping[int, Span], pieces: Sequence[RangePart]) -> DataFrame:
        return assigned(self.session, self.hashed(side, spans), pieces)

    def range_pieces(self, side: Side, each: OffsetRange) -> list[RangePart]:
        """The offsets of a range that are compared."""
        if side == "source":
            spans = self._source_spans(each.partition, each.source_from, each.source_to)
        else:
            spans = self._target_spans(each)
        return pieces_of(each.partition, each.number, spans)

    def expected(self, partition: int, first: int, following: int) -> list[Span]:
        """Source offsets that ought to have been copied: neither written by the flow the other way nor skipped."""
        return without(self._not_expected[partition], first, following)

    def not_read(self, partition: int, first: int, following: int) -> list[Span]:
        """Source offsets that ought to have been copied and that no run names."""
        holes = without(self._read[partition], first, following)
        return [span for low, high in holes for span in self.expected(partition, low, high)]

    def written(self, partition: int) -> Sequence[Span]:
        """Target offsets our flow is known to have written."""
        return self._written[partition]

    def losses(self, partition: int) -> Sequence[RecordedLoss]:
        """Recorded as not copied, and named by no run; ascending and disjoint."""
        return self._recorded_losses[partition]

    def counted_ranges(self, side: Side, each: OffsetRange) -> Iterator[CountedRange]:
        """Return the parts of a range that are counted apart from the comparison.

        Where only counts are compared, records that no run names are subtracted from the whole: ranges may be many.
        """
        number = each.partition
        if side == "source":
            for one in within_range(self._recorded_losses[number], each.source_from, each.source_to):
                yield CountedRange(number, side, ((one.first, one.next),), one)
            if self.spec.counts_only:
                whole = self.expected(number, each.source_from, each.source_to)
                yield CountedRange(number, side, tuple(whole), around=each.number)
        elif self.spec.counts_only:
            yield CountedRange(number, side, ((each.target_from, each.target_to),), around=each.number)
        elif self.counts_local(each):
            yield CountedRange(number, side, tuple(without(self._written[number], each.target_from, each.target_to)))

    def counts_local(self, each: OffsetRange) -> bool:
        """True if runs tell the records of others in a range, and not their contents alone."""
        return self.spec.shared and (
            bool(within(self._read[each.partition], each.source_from, each.source_to))
            or not self.expected(each.partition, each.source_from, each.source_to)
        )

    def _source_spans(self, partition: int, first: int, following: int) -> list[Span]:
        if self.spec.counts_only:
            return within(self._read[partition], first, following)
        return self.expected(partition, first, following)

    def _target_spans(self, each: OffsetRange) -> list[Span]:
        """Return all offsets where no one else writes, or where no run is known; else those that runs name."""
        if self.spec.counts_only or self.counts_local(each):
            return within(self._written[each.partition], each.target_from, each.target_to)
        return [(each.target_from, each.target_to)]


def _both(some: Sequence[Span], others: Sequence[Span]) -> list[Span]:
    return united(sorted((*some, *others)))
