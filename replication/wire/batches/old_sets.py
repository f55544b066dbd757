"""Bounds the compressed message sets of the old formats before aiokafka's decoder unpacks them without a bound.

Layout: magic 0 and 1 of Kafka's `LegacyRecord`; the value of the outer message holds the others.
"""

import struct

from replication.domain.batches.batch_decision import CODEC_MASK, BatchRow
from replication.domain.batches.compression import NONE
from replication.ports.batches.record_path import TooMuchPlainError
from replication.wire.batches.decompression import unpack

_ATTRIBUTES_AT, _FIELDS_AT = 17, 18
_TIMESTAMP_BYTES = 8  # from magic 1 on
_LENGTH = struct.Struct(">i")


def plain_bytes(view: memoryview, row: BatchRow, most_bytes: int) -> int:
    """Return the unpacked bytes of one message or set; TooMuchPlainError above `most_bytes`.

    What cannot be unpacked counts as it is: the decoder says what is wrong with it.
    """
    codec = view[row.at + _ATTRIBUTES_AT] & CODEC_MASK
    if codec == NONE:
        return row.end - row.at
    try:
        at = row.at + _FIELDS_AT + (_TIMESTAMP_BYTES if row.first.magic == 1 else 0)
        at += _LENGTH.size + max(0, _LENGTH.unpack_from(view, at)[0])
        (length,) = _LENGTH.unpack_from(view, at)
        value = view[at + _LENGTH.size : min(at + _LENGTH.size + max(0, length), row.end)]
        return len(unpack(value, codec, most_bytes))
    except TooMuchPlainError:
        raise
    except Exception:  # a codec may raise anything
        return row.end - row.at
