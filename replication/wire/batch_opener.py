"""The `BatchOpener` over aiokafka's record codec."""

from replication.codecs.record_batch import read_header
from replication.domain.batch import CODEC_MASK
from replication.ports.batch_opener import Piece
from replication.ports.target_writer import OutgoingRecord
from replication.wire.record_codec import build_from, decode_records


class WireBatchOpener:
    """Decodes and rebuilds; slow, for the few batches a target refuses."""

    def halve(self, data: memoryview) -> tuple[Piece, Piece]:
        codec = read_header(data, 0).attributes & CODEC_MASK
        records = list(decode_records(data))
        middle = len(records) // 2
        first, second = (
            Piece(build_from(part, codec), len(part), max(record.timestamp for record in part))
            for part in (records[:middle], records[middle:])
        )
        return first, second

    def only_record(self, data: memoryview) -> OutgoingRecord:
        (record,) = decode_records(data)
        return OutgoingRecord(record.key, record.value, [(name, value or b"") for name, value in record.headers])
