# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Merges batches into larger ones without making an object of any record: only what precedes a key is rewritten.

Optional: without a C compiler `batch_merger` does the same by aiokafka's codec, at two to three times the cost.
Layout: Kafka's `DefaultRecordBatch` and `DefaultRecord` (KIP-98), LZ4 Frame Format 1.6.1 (KIP-57). LZ4's own checksums
are not read: the batch's covers the same bytes.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

import cramjam
from crc32c import crc32c

from replication.codecs.record_batch import CorruptBatchError
from replication.ports.batches.record_path import TooMuchPlainError

cdef enum:
    HEADER = 61
    LENGTH_OVERHEAD = 12
    MAGIC_AT = 16
    CRC_AT = 17
    CRC_FROM = 21
    CODEC_AT = 22
    FIRST_TIMESTAMP_AT = 27
    MAX_TIMESTAMP_AT = 35
    LAST_OFFSET_DELTA_AT = 23
    COUNT_AT = 57
    CODEC_MASK = 7
    APPEND_TIME_BIT = 8
    CONTROL_BIT = 32
    LZ4 = 3
    LARGEST_BLOCK = 65536
    FRAME_HEADER = 11  # magic, flags, block descriptor, header checksum, length of the first block

cdef bytes _LZ4_MAGIC = b"\x04\x22\x4d\x18"
cdef int64_t _LAST_OFFSET = (<int64_t>1 << 62)  # beyond it sums would overflow


cdef inline uint64_t _read_be(const uint8_t* at, int width) noexcept nogil:
    cdef uint64_t value = 0
    cdef int index
    for index in range(width):
        value = value << 8 | at[index]
    return value


cdef inline void _write_be(uint8_t* at, uint64_t value, int width) noexcept nogil:
    cdef int index
    for index in range(width):
        at[index] = <uint8_t>(value >> (8 * (width - 1 - index)))


cdef inline int _read_varint(const uint8_t** at, const uint8_t* end, int64_t* value, int bits) noexcept nogil:
    """A zigzag varint; 0 when it does not end before `end`, or is longer or larger than numbers of so many bits are."""
    cdef uint64_t raw = 0
    cdef int shift = 0
    cdef uint8_t byte
    while at[0] < end and shift < bits:
        byte = at[0][0]
        at[0] += 1
        if shift + 7 > bits and (byte & 0x7F) >> (bits - shift):
            return 0
        raw |= <uint64_t>(byte & 0x7F) << shift
        if not byte & 0x80:
            value[0] = <int64_t>(raw >> 1) ^ -<int64_t>(raw & 1)
            return 1
        shift += 7
    return 0


cdef inline int _varint_bytes(int64_t value) noexcept nogil:
    cdef uint64_t raw = (<uint64_t>value << 1) ^ <uint64_t>(value >> 63)
    cdef int size = 1
    while raw >= 0x80:
        raw >>= 7
        size += 1
    return size


cdef inline uint8_t* _write_varint(uint8_t* at, int64_t value) noexcept nogil:
    cdef uint64_t raw = (<uint64_t>value << 1) ^ <uint64_t>(value >> 63)
    while raw >= 0x80:
        at[0] = <uint8_t>(raw | 0x80)
        at += 1
        raw >>= 7
    at[0] = <uint8_t>raw
    return at + 1


cdef inline int _skip_sized(const uint8_t** at, const uint8_t* end, bint may_be_null) noexcept nogil:
    """Pass over a length and that many bytes; 0 when they are not all there."""
    cdef int64_t size
    if not _read_varint(at, end, &size, 32):
        return 0
    if size < 0:
        return may_be_null
    if size > end - at[0]:
        return 0
    at[0] += size
    return 1


cdef int _is_sound_body(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Return 1 when the bytes are a key, a value and headers and nothing else."""
    cdef int64_t headers
    if not _skip_sized(&at, end, True) or not _skip_sized(&at, end, True):
        return 0
    if not _read_varint(&at, end, &headers, 32) or headers < 0:
        return 0
    while headers > 0:
        if not _skip_sized(&at, end, False) or not _skip_sized(&at, end, True):
            return 0
        headers -= 1
    return at == end


cdef class RecordSplicer:
    """One stretch of records of one partition; offsets ascend. After an error it is of no more use.

    `limit_bytes` bounds every batch but one of a single record, `most_plain_bytes` all batches that are added. `unpack(payload, codec, most_bytes)` answers the
    records of a batch plain. `on_batch(data, count, runs)` takes each finished batch: plain, base offset 0, no producer, its checksum left
    to the rewrite; a run is (upstream offset, index in the batch, length).
    """

    cdef bytearray _out
    cdef Py_ssize_t _size, _capacity, _limit, _count
    cdef int64_t _first_timestamp, _max_timestamp, _expected, _most_plain_bytes
    cdef readonly int64_t plain_bytes  # of all batches that were added
    cdef list _stretches
    cdef object _unpack, _on_batch
    cdef bint _is_first
    cdef bytearray _scratch

    def __cinit__(self, Py_ssize_t limit_bytes, unpack, on_batch, int64_t most_plain_bytes):
        self._limit = limit_bytes
        self._unpack = unpack
        self._on_batch = on_batch
        self._most_plain_bytes = most_plain_bytes
        self._is_first = True
        self._scratch = bytearray(LARGEST_BLOCK)
        self._begin()

    cdef void _begin(self):
        self._capacity = LARGEST_BLOCK
        self._out = bytearray(self._capacity)
        self._size = HEADER
        self._count = 0
        self._stretches = []

    def extend(self, data, int64_t position):
        """Add contiguous batches; records below the position are skipped. Return the place behind the last one.

        Stops before the batch with which all take more than the plain bytes allowed. Raises TooMuchPlainError where
        that is the first one, CorruptBatchError, and any error of the codec for bytes it cannot unpack.
        """
        cdef const uint8_t[::1] view = data
        cdef Py_ssize_t at = 0, length, end = view.shape[0]
        cdef const uint8_t* batch
        while at < end and self.plain_bytes < self._most_plain_bytes:
            batch = &view[at]
            length = <int32_t>_read_be(batch + 8, 4) if end - at >= HEADER else -1
            if length < HEADER - LENGTH_OVERHEAD or length > end - at - LENGTH_OVERHEAD or batch[MAGIC_AT] != 2:
                raise CorruptBatchError(f"there is no whole batch at byte {at}")
            if crc32c(data[at + CRC_FROM : at + LENGTH_OVERHEAD + length]) != <uint32_t>_read_be(batch + CRC_AT, 4):
                offset = <int64_t>_read_be(batch, 8)
                raise CorruptBatchError(f"checksum of the batch at offset {offset} does not fit its bytes")
            if not self._add_batch(batch, length + LENGTH_OVERHEAD, position):
                self.plain_bytes = self._most_plain_bytes
                break
            self._is_first = False
            at += length + LENGTH_OVERHEAD
        return at

    cdef int _add_batch(self, const uint8_t* batch, Py_ssize_t size, int64_t position) except -1:
        """Return 0 where the batch would take too much, and is not the first."""
        cdef bytes plain
        cdef int codec = batch[CODEC_AT] & CODEC_MASK
        cdef Py_ssize_t length = -1
        if batch[CODEC_AT] & CONTROL_BIT:
            return 1
        if codec == 0:
            self.plain_bytes += size
            self._add_records(batch, batch + HEADER, size - HEADER, position)
            return 1
        if codec == LZ4:
            length = self._unpack_only_block(batch + HEADER, size - HEADER)
        if length >= 0:
            self.plain_bytes += length
            self._add_records(batch, <const uint8_t*>PyByteArray_AS_STRING(self._scratch), length, position)
            return 1
        left = self._most_plain_bytes - self.plain_bytes
        payload = PyBytes_FromStringAndSize(<const char*>batch + HEADER, size - HEADER)
        try:
            plain = self._unpack(payload, codec, left)
        except TooMuchPlainError:
            if self._is_first:
                raise
            return 0
        self.plain_bytes += PyBytes_GET_SIZE(plain)
        self._add_records(batch, <const uint8_t*>PyBytes_AS_STRING(plain), PyBytes_GET_SIZE(plain), position)
        return 1

    cdef Py_ssize_t _unpack_only_block(self, const uint8_t* frame, Py_ssize_t size):
        """Unpack a frame of one block into the scratch; the length, or -1 where the frame is of another kind.

        The frame decoder sets up 256 KB for every frame; a frame of one block, as every batch below 64 KB is, needs none
        of it.
        """
        cdef Py_ssize_t checksum, length
        if size < FRAME_HEADER or memcmp(frame, <const char*>_LZ4_MAGIC, 4) != 0:
            return -1
        if frame[4] & ~0x10 != 0x60:  # version 1, independent blocks, and nothing but their checksums
            return -1
        checksum = 4 if frame[4] & 0x10 else 0
        length = frame[7] | frame[8] << 8 | frame[9] << 16 | <Py_ssize_t>frame[10] << 24
        if FRAME_HEADER + length + checksum + 4 != size:  # one stored as it is has a far higher length
            return -1
        block = PyBytes_FromStringAndSize(<const char*>frame + FRAME_HEADER, length)
        try:
            return cramjam.lz4.decompress_block_into(block, self._scratch, output_len=LARGEST_BLOCK)
        except cramjam.DecompressionError:
            return -1

    cdef _add_records(self, const uint8_t* batch, const uint8_t* at, Py_ssize_t size, int64_t position):
        cdef int64_t base_offset = <int64_t>_read_be(batch, 8), offset_delta, timestamp_delta, length, timestamp
        cdef int64_t first_timestamp = <int64_t>_read_be(batch + FIRST_TIMESTAMP_AT, 8)
        cdef int64_t append_time = <int64_t>_read_be(batch + MAX_TIMESTAMP_AT, 8)
        cdef bint has_append_time = batch[CODEC_AT] & APPEND_TIME_BIT
        cdef int32_t left = <int32_t>_read_be(batch + COUNT_AT, 4)
        cdef const uint8_t* end = at + size
        cdef const uint8_t* record_end
        cdef int64_t last_offset_delta = <int32_t>_read_be(batch + LAST_OFFSET_DELTA_AT, 4), previous_delta = -1
        if base_offset < 0 or base_offset > _LAST_OFFSET or left < 0:
            raise _malformed(base_offset)
        while left > 0:
            left -= 1
            if not _read_varint(&at, end, &length, 32) or length < 1 or length > end - at:
                raise _malformed(base_offset)
            record_end = at + length
            at += 1  # attributes, which are unused
            if (
                not _read_varint(&at, record_end, &timestamp_delta, 64)
                or not _read_varint(&at, record_end, &offset_delta, 32)
                or not previous_delta < offset_delta <= last_offset_delta
                or not _is_sound_body(at, record_end)
            ):
                raise _malformed(base_offset)
            previous_delta = offset_delta
            if base_offset + offset_delta >= position:
                timestamp = append_time if has_append_time else first_timestamp + timestamp_delta
                self._append(base_offset + offset_delta, timestamp, at, record_end - at)
            at = record_end
        if at != end:
            raise _malformed(base_offset)

    cdef _append(self, int64_t offset, int64_t timestamp, const uint8_t* body, Py_ssize_t body_bytes):
        cdef Py_ssize_t length, size, capacity
        cdef uint8_t* to
        if self._count == 0:
            self._first_timestamp = self._max_timestamp = timestamp
        length = 1 + _varint_bytes(timestamp - self._first_timestamp) + _varint_bytes(self._count) + body_bytes
        size = _varint_bytes(length) + length
        if self._count and self._size + size >= self._limit:
            self.close()
            self._first_timestamp = self._max_timestamp = timestamp
            length = 2 + 1 + body_bytes
            size = _varint_bytes(length) + length
        if self._size + size > self._capacity:
            capacity = max(2 * self._capacity, self._size + size)
            PyByteArray_Resize(self._out, capacity)
            self._capacity = capacity
        to = <uint8_t*>PyByteArray_AS_STRING(self._out) + self._size
        to = _write_varint(to, length)
        to[0] = 0  # attributes
        to = _write_varint(to + 1, timestamp - self._first_timestamp)
        to = _write_varint(to, self._count)
        memcpy(to, body, body_bytes)
        if self._count == 0 or offset != self._expected:
            self._stretches.append((offset, self._count))
        self._size += size
        self._count += 1
        self._expected = offset + 1
        if timestamp > self._max_timestamp:
            self._max_timestamp = timestamp

    def close(self):
        """Hand on the batch that has begun, if any."""
        cdef Py_ssize_t count = self._count
        cdef uint8_t* header
        if count == 0:
            return
        out, stretches = self._out, self._stretches
        PyByteArray_Resize(out, self._size)
        header = <uint8_t*>PyByteArray_AS_STRING(out)
        memset(header, 0, HEADER)
        _write_be(header + 8, self._size - LENGTH_OVERHEAD, 4)
        _write_be(header + 12, <uint64_t>-1, 4)  # leader epoch
        header[MAGIC_AT] = 2
        _write_be(header + 23, count - 1, 4)
        _write_be(header + FIRST_TIMESTAMP_AT, <uint64_t>self._first_timestamp, 8)
        _write_be(header + MAX_TIMESTAMP_AT, <uint64_t>self._max_timestamp, 8)
        _write_be(header + 43, <uint64_t>-1, 8)  # producer id
        _write_be(header + 51, <uint64_t>-1, 2)
        _write_be(header + 53, <uint64_t>-1, 4)
        _write_be(header + COUNT_AT, count, 4)
        self._begin()
        ends = [index for _, index in stretches[1:]] + [count]
        runs = tuple([(offset, index, end - index) for (offset, index), end in zip(stretches, ends)])
        self._on_batch(out, count, runs)


cdef _malformed(int64_t base_offset):
    return CorruptBatchError(f"the records of the batch at offset {base_offset} are malformed")
