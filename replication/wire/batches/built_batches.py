"""Packs batches that were built plain, and splits those that are too large even so.

They are packed by us: the builder's own packing uses the slowest levels.
"""

from replication.codecs.record_batch import read_header, sign
from replication.domain.batches.batch_decision import HEADER_BYTES
from replication.domain.batches.compression import NONE
from replication.ports.batches.record_path import BuiltBatch
from replication.wire.batches import splicing
from replication.wire.batches.compression import pack, with_payload
from replication.wire.batches.decompression import unpack
from replication.wire.batches.record_codec import build_from, decode_records

LOOSEST = 4.0  # batches to be packed may be that much larger before; what turns out too large is split
MARGIN = 0.9  # of what the last batches shrank by: the next ones may shrink less

Runs = tuple[tuple[int, int, int], ...]  # as in `BuiltBatch`


class BuiltBatches:
    """Takes them oldest first. `looseness` says how much larger than `max_bytes` they may be before they are packed."""

    def __init__(self, max_bytes: int, codec: int, *, looseness: float = LOOSEST) -> None:
        self._max_bytes = max_bytes
        self._codec = codec
        self.limit_bytes = max_bytes if codec == NONE else int(max_bytes * looseness)
        self.looseness = looseness  # as the batches packed so far suggest
        self._built: list[BuiltBatch] = []

    def add(self, plain: bytearray, records: int, runs: Runs) -> None:
        """Add a batch of at most `limit_bytes`, or of one record; its checksum is not read."""
        data = plain if self._codec == NONE else self._packed(plain)
        if len(data) > self._max_bytes and records > 1:
            self._split(plain, runs)
        else:
            latest = read_header(memoryview(data), 0).max_timestamp
            self._built.append(BuiltBatch(data, runs[0][0], runs[-1][0] + runs[-1][2] - 1, records, latest, runs))

    def finish(self, source_bytes: int) -> list[BuiltBatch]:
        """Every batch, oldest first; the source's bytes are divided among them by their records."""
        left_bytes, left_records = source_bytes, sum(batch.records for batch in self._built)
        for number, batch in enumerate(self._built):
            share = left_bytes * batch.records // left_records
            self._built[number] = batch._replace(source_bytes=share)
            left_bytes, left_records = left_bytes - share, left_records - batch.records
        return self._built

    def _packed(self, plain: bytearray) -> bytearray:
        payload = pack(memoryview(plain)[HEADER_BYTES:], self._codec)
        if len(plain) * 4 >= self._max_bytes:  # a small rest says little
            self.looseness = max(1.0, min(LOOSEST, MARGIN * len(plain) / (HEADER_BYTES + len(payload))))
        if len(payload) + HEADER_BYTES >= self._max_bytes > len(plain):
            return plain  # it cannot be packed; plain it still fits
        return with_payload(memoryview(plain), payload, self._codec)

    def _split(self, plain: bytearray, runs: Runs) -> None:
        """The batch is too large even packed: once more, in pieces of about half of it."""
        for piece, records in _pieces(plain):
            own, runs = _cut(runs, records)
            self.add(piece, records, own)


def _pieces(plain: bytearray) -> list[tuple[bytearray, int]]:
    """Batches with the same records, fewer in each, and how many."""
    pieces: list[tuple[bytearray, int]] = []
    if splicing.SPLICER is None:
        records = list(decode_records(plain))
        middle = len(records) // 2
        return [(build_from(part), len(part)) for part in (records[:middle], records[middle:])]
    splicer = splicing.SPLICER(
        (HEADER_BYTES + len(plain)) // 2,
        unpack,
        lambda data, count, _runs: pieces.append((data, count)),
        len(plain),
    )
    sign(plain)
    splicer.extend(plain, 0)
    splicer.close()
    return pieces


def _cut(runs: Runs, middle: int) -> tuple[Runs, Runs]:
    """The runs of the records before that index in the batch, and of those from it on, which begin another batch."""
    before = tuple((offset, index, min(length, middle - index)) for offset, index, length in runs if index < middle)
    after = tuple(
        (offset + max(middle - index, 0), max(index - middle, 0), min(length, index + length - middle))
        for offset, index, length in runs
        if index + length > middle
    )
    return before, after
