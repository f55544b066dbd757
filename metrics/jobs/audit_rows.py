"""The rows of both sides of one frozen topic, hashed; and which of them are the flow's own."""

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession

from metrics.audit.coverage import Span, read_spans, within, without, written_spans
from metrics.audit.ranges import FrozenPartition, Range, Side
from metrics.audit.spec import AuditSpec
from metrics.jobs.audit_frames import Piece, assigned, hashed, pieces_of
from metrics.jobs.audit_freeze import FrozenTopic
from metrics.jobs.audit_reads import topic_rows
from replication.domain.slot import ClusterClient


class TopicRows:
    """Builds DataFrames; runs no job."""

    def __init__(
        self, session: SparkSession, spec: AuditSpec, clusters: Mapping[Side, ClusterClient], frozen: FrozenTopic
    ) -> None:
        self.session = session
        self.spec = spec
        self.frozen = frozen
        self._clusters = clusters
        self._written = {each.partition: written_spans(each.runs) for each in frozen.partitions}
        self._read = {each.partition: read_spans(each.runs) for each in frozen.partitions}
        self._echoes = {each.partition: written_spans(each.foreign) for each in frozen.partitions}

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
            spans = self._target_spans(each.partition, each.target_from, each.target_to)
        return pieces_of(each.partition, each.number, spans)

    def without_echoes(self, partition: int, first: int, following: int) -> list[Span]:
        """Source offsets that the flow the other way has not written: those that ought to have been copied."""
        return without(self._echoes[partition], first, following)

    def not_read(self, partition: int, first: int, following: int) -> list[Span]:
        """Source offsets that ought to have been copied and that no run names."""
        holes = without(self._read[partition], first, following)
        return [span for low, high in holes for span in self.without_echoes(partition, low, high)]

    def written(self, partition: int) -> Sequence[Span]:
        """Target offsets our flow is known to have written."""
        return self._written[partition]

    def _source_spans(self, partition: int, first: int, following: int) -> list[Span]:
        if self.spec.counts_only:
            return within(self._read[partition], first, following)
        return self.without_echoes(partition, first, following)

    def _target_spans(self, partition: int, first: int, following: int) -> list[Span]:
        """Where nobody else writes, all of them are ours."""
        if self.spec.counts_only or self.spec.shared:
            return within(self._written[partition], first, following)
        return [(first, following)]
