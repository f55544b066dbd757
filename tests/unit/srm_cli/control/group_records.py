"""Records of a flow's topics, as its tasks write them."""

from replication.codecs.mm2_records import Checkpoint, encode_checkpoint
from replication.codecs.offset_runs import encode_key, encode_value
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.offset_run import OffsetRun, RunSegment


def checkpoints_of(**offsets: int) -> list[tuple[bytes, bytes]]:
    remote = TopicPartition("us-east.orders", 0)
    return [
        encode_checkpoint(Checkpoint(group=group, remote=remote, upstream_offset=1, downstream_offset=offset))
        for group, offset in offsets.items()
    ]


def runs_of(*runs: OffsetRun) -> tuple[bytes, bytes]:
    segment = RunSegment("orders", 0, bytes([1] * 16), runs)
    return encode_key(segment), encode_value(segment)
