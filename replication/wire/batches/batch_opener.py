"""The `BatchOpener` over aiokafka's record codec."""

from replication.codecs.record_batch import read_header
from replication.domain.batches.batch_decision import CODEC_MASK, HEADER_BYTES
from replication.domain.batches.compression import NONE
from replication.ports.batches.batch_opener import BatchPart
from replication.ports.batches.record_path import MOST_PLAIN_BYTES
from replication.ports.produce.record_appender import OutgoingRecord
from replication.wire.batches.compression import with_payload
from replication.wire.batches.decompression import unpack
from replication.wire.batches.record_codec import build_from, decode_records


class WireBatchOpener:
    """Decodes and rebuilds; slow, for the few batches a target rejects."""

    def halve(self, data: memoryview, most_plain_bytes: int = MOST_PLAIN_BYTES) -> tuple[BatchPart, BatchPart]:
        codec = read_header(data, 0).attributes & CODEC_MASK
        records = list(decode_records(_plain(data, most_plain_bytes)))
        middle = len(records) // 2
        first, second = (
            BatchPart(build_from(part, codec), len(part), max(record.timestamp for record in part))
            for part in (records[:middle], records[middle:])
        )
        return first, second

    def only_record(self, data: memoryview, most_plain_bytes: int = MOST_PLAIN_BYTES) -> OutgoingRecord:
        (record,) = decode_records(_plain(data, most_plain_bytes))
        return OutgoingRecord(record.key, record.value, record.headers)


def _plain(data: memoryview, most_bytes: int) -> bytearray:
    """The batch with plain records; its checksum fits no more."""
    codec = read_header(data, 0).attributes & CODEC_MASK
    return with_payload(data, unpack(data[HEADER_BYTES:], codec, most_bytes), NONE)
