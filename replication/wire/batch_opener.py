"""The `BatchOpener` over aiokafka's record codec."""

from collections.abc import Sequence

from replication.codecs.record_batch import read_header, shift_timestamps
from replication.domain.batch import CODEC_MASK
from replication.domain.record import NO_TIMESTAMP, Record
from replication.ports.batch_opener import Piece
from replication.ports.target_writer import OutgoingRecord
from replication.wire.record_codec import build_batch, decode_records


class WireBatchOpener:
    """Decodes and rebuilds; slow, for the few batches a target refuses."""

    def halve(self, data: memoryview) -> tuple[Piece, Piece]:
        codec = read_header(data, 0).attributes & CODEC_MASK
        records = list(decode_records(data))
        middle = len(records) // 2
        first, second = (
            Piece(_batch_of(part, codec), len(part), max(record.timestamp for record in part))
            for part in (records[:middle], records[middle:])
        )
        return first, second

    def only_record(self, data: memoryview) -> OutgoingRecord:
        (record,) = decode_records(data)
        return OutgoingRecord(record.key, record.value, [(name, value or b"") for name, value in record.headers])


def _batch_of(records: Sequence[Record], codec: int) -> bytearray:
    """A batch whose first records have no timestamp would borrow the builder's next one: it is built 1 ms later."""
    if records[0].timestamp != NO_TIMESTAMP:
        return build_batch(records, codec=codec)
    data = build_batch([record._replace(timestamp=record.timestamp + 1) for record in records], codec=codec)
    shift_timestamps(data, -1)
    return data
