"""Kafka's default partitioner (`org.apache.kafka.common.utils.Utils.murmur2`)."""

_MASK = 0xFFFFFFFF
_SEED = 0x9747B28C
_M = 0x5BD1E995


def murmur2(data: bytes) -> int:
    """The 32-bit hash as an unsigned number."""
    length = len(data)
    value = _SEED ^ length
    whole = length & ~3
    for at in range(0, whole, 4):
        k = int.from_bytes(data[at : at + 4], "little") * _M & _MASK
        k = (k ^ k >> 24) * _M & _MASK
        value = (value * _M & _MASK) ^ k
    if whole != length:
        value = (value ^ int.from_bytes(data[whole:], "little")) * _M & _MASK
    value = (value ^ value >> 13) * _M & _MASK
    return value ^ value >> 15


def partition_for(key: bytes, partitions: int) -> int:
    """The partition the Java producer chooses for a keyed record."""
    return (murmur2(key) & 0x7FFFFFFF) % partitions
