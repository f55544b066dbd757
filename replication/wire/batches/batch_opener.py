"""The `BatchOpener` over aiokafka's record codec."""

from replication.codecs.record_batch import read_header
from replication.domain.batches.batch_decision import CODEC_MASK
from replication.ports.batches.batch_opener import BatchPart
from replication.ports.produce.record_appender import OutgoingRecord
from replication.wire.batches.record_codec import build_from, decode_records


class WireBatchOpener:
    """Decodes and rebuilds; slow, for the few batches a target rejects."""

    def halve(self, data: memoryview) -> tuple[BatchPart, BatchPart]:
        codec = read_header(data, 0).attributes & CODEC_MASK
        records = list(decode_records(data))
        middle = len(records) // 2
        first, second = (
            BatchPart(build_from(part, codec), len(part), max(record.timestamp for record in part))
            for part in (records[:middle], records[middle:])
        )
        return first, second

    def only_record(self, data: memoryview) -> OutgoingRecord:
        (record,) = decode_records(data)
        return OutgoingRecord(record.key, record.value, [(name, value or b"") for name, value in record.headers])
