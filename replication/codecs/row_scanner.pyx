# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""`batch_rows.alike_run` compiled: topics full of tiny batches are looked through at memory's speed."""

from libc.stdint cimport int32_t, int64_t, uint8_t

cdef enum:
    HEADER = 61
    LENGTH_OVERHEAD = 12
    MAGIC_AT = 16
    ATTRIBUTES_AT = 21
    PRODUCER_AT = 43
    COUNT_AT = 57
    CONTROL_BIT = 32


cdef inline int32_t _int32(const uint8_t* at) noexcept nogil:
    return <int32_t>(<unsigned int>at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3])


def alike_run(data, Py_ssize_t at, Py_ssize_t largest):
    """As `batch_rows.alike_run`."""
    cdef const uint8_t[::1] view = data
    cdef Py_ssize_t size = view.shape[0], last_at = at, length
    cdef int64_t count = 0, total = 0
    cdef const uint8_t* first = NULL
    cdef const uint8_t* batch
    cdef int32_t records
    cdef int index
    cdef bint is_alike
    if at < 0:
        return None
    while at <= size - HEADER:
        batch = &view[at]
        length = _int32(batch + 8)
        records = _int32(batch + COUNT_AT)
        if batch[MAGIC_AT] != 2 or records <= 0 or batch[ATTRIBUTES_AT + 1] & CONTROL_BIT:
            break
        if length < HEADER - LENGTH_OVERHEAD or length > largest or length > size - at - LENGTH_OVERHEAD:
            break
        if first == NULL:
            first = batch
        is_alike = batch[ATTRIBUTES_AT] == first[ATTRIBUTES_AT] and batch[ATTRIBUTES_AT + 1] == first[ATTRIBUTES_AT + 1]
        for index in range(PRODUCER_AT, PRODUCER_AT + 8):
            is_alike = is_alike and batch[index] == first[index]
        if not is_alike:
            break
        count += 1
        total += records
        last_at = at
        at += length + LENGTH_OVERHEAD
    return (at, last_at, count, total) if count else None
