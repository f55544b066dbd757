# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=False
"""`tile_histogram.PythonHistogram` compiled: the buckets are a short array in the order of their names."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.dict cimport PyDict_Next
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.ref cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.stdint cimport int16_t, int64_t
from libc.string cimport memcpy

import orjson

from replication.domain.reporting.histogram import MAX_BUCKET as _MAX_BUCKET
from replication.domain.reporting.histogram import ZERO_BUCKET as _ZERO_BUCKET
from replication.domain.reporting.histogram import bucket_of

cdef enum:
    MOST_BUCKETS = 256

cdef int64_t MOST_AMOUNT = <int64_t>1 << 40
cdef int64_t MOST_SUM_MS = <int64_t>1 << 58
cdef int64_t MOST_BIGINT = 0x7FFFFFFFFFFFFFFF
cdef int ZERO = _ZERO_BUCKET
cdef int COUNT = _MAX_BUCKET - _ZERO_BUCKET + 1
cdef dict RANK_OF_NAME = {}  # the place of a bucket among the names in JSON, in their order as texts
cdef int16_t[MOST_BUCKETS] RANK_OF  # by bucket - ZERO
cdef int16_t[MOST_BUCKETS] BUCKET_AT  # by rank
cdef char[MOST_BUCKETS][8] NAMES
cdef int[MOST_BUCKETS] NAME_SIZES

if COUNT > MOST_BUCKETS:
    raise ImportError("more buckets than the compiled histogram holds")


def _number_buckets():
    names = sorted(str(bucket) for bucket in range(_ZERO_BUCKET, _MAX_BUCKET + 1))
    for rank, name in enumerate(names):
        text = f'"{name}":'.encode()
        RANK_OF_NAME[name] = rank
        RANK_OF[<int>int(name) - ZERO] = rank
        BUCKET_AT[<int>rank] = int(name)
        NAME_SIZES[<int>rank] = len(text)
        memcpy(NAMES[<int>rank], <char*>text, len(text))


_number_buckets()


cdef int64_t _amount(object value, int64_t most) except -1:
    """Return a whole number in [0, most]; true and false are none."""
    cdef int overflow = 0
    cdef int64_t number
    if not PyLong_CheckExact(value):
        raise ValueError("a number is missing or out of bounds")
    number = PyLong_AsLongLongAndOverflow(value, &overflow)
    if overflow or number < 0 or number > most:
        raise ValueError("a number is missing or out of bounds")
    return number


cdef inline int64_t _plus(int64_t one, int64_t other) noexcept nogil:
    """Both are at least 0; sums stay below what a database holds."""
    return one + other if one <= MOST_BIGINT - other else MOST_BIGINT


cdef inline int _digits(char* out, int64_t number) noexcept nogil:
    cdef char[24] reverse
    cdef int size = 0, index
    if number == 0:
        out[0] = 48
        return 1
    while number > 0:
        reverse[size] = 48 + <char>(number % 10)
        number //= 10
        size += 1
    for index in range(size):
        out[index] = reverse[size - 1 - index]
    return size


def check_amounts(tuple values not None, most):
    """As `tile_histogram.check_amounts`."""
    cdef int64_t bound = most
    if not values:
        raise ValueError("a number is missing or out of bounds")
    for value in values:
        _amount(value, bound)


cdef class TileHistogram:
    """As `tile_histogram.PythonHistogram`."""

    cdef public int64_t count
    cdef public int64_t min_ms
    cdef public int64_t max_ms
    cdef public int64_t sum_ms
    cdef public int64_t negative_count
    cdef int size
    cdef int room
    cdef int16_t* ranks
    cdef int64_t* weights

    def __dealloc__(self):
        PyMem_Free(self.ranks)
        PyMem_Free(self.weights)

    cdef int _reserve(self, int room) except -1:
        cdef void* ranks
        cdef void* weights
        if room <= self.room:
            return 0
        ranks = PyMem_Realloc(self.ranks, room * sizeof(int16_t))
        if ranks == NULL:
            raise MemoryError
        self.ranks = <int16_t*>ranks
        weights = PyMem_Realloc(self.weights, room * sizeof(int64_t))
        if weights == NULL:
            raise MemoryError
        self.weights = <int64_t*>weights
        self.room = room
        return 0

    cdef int _add_weight(self, int16_t rank, int64_t weight) except -1:
        cdef int at = self.size
        while at > 0 and self.ranks[at - 1] > rank:
            at -= 1
        if at > 0 and self.ranks[at - 1] == rank:
            self.weights[at - 1] = _plus(self.weights[at - 1], weight)
            return 0
        if self.size == self.room:
            self._reserve(self.room + 8)
        cdef int index
        for index in range(self.size, at, -1):
            self.ranks[index] = self.ranks[index - 1]
            self.weights[index] = self.weights[index - 1]
        self.ranks[at] = rank
        self.weights[at] = weight
        self.size += 1
        return 0

    cdef int _add_named(self, object buckets, int64_t most) except -1:
        cdef Py_ssize_t position = 0
        cdef PyObject* name
        cdef PyObject* weight
        if type(buckets) is not dict:
            raise TypeError("buckets are no object")
        if len(buckets) > COUNT:
            raise ValueError("a histogram has more buckets than there are")
        self._reserve(<int>len(buckets))
        while PyDict_Next(buckets, &position, &name, &weight):
            self._add_weight(RANK_OF_NAME[<object>name], _amount(<object>weight, most))
        return 0

    @staticmethod
    def read(list values not None):
        cdef TileHistogram histogram = TileHistogram.__new__(TileHistogram)
        if len(values) != 6:
            raise ValueError("a histogram has six values")
        histogram.count = _amount(values[0], MOST_AMOUNT)
        histogram.min_ms = _amount(values[1], MOST_AMOUNT)
        histogram.max_ms = _amount(values[2], MOST_AMOUNT)
        histogram.sum_ms = _amount(values[3], MOST_SUM_MS)
        histogram.negative_count = _amount(values[4], MOST_AMOUNT)
        histogram._add_named(values[5], MOST_AMOUNT)
        return histogram

    @property
    def buckets(self):
        return {BUCKET_AT[self.ranks[index]]: self.weights[index] for index in range(self.size)}

    def add(self, int64_t ms, int64_t weight=1):
        """Count `weight` records of this latency; a negative latency only counts as negative."""
        if ms < 0:
            self.negative_count = _plus(self.negative_count, weight)
            return
        if self.count == 0 or ms < self.min_ms:
            self.min_ms = ms
        if self.count == 0 or ms > self.max_ms:
            self.max_ms = ms
        self.count = _plus(self.count, weight)
        self.sum_ms = min(int(self.sum_ms) + int(ms) * int(weight), MOST_BIGINT)
        self._add_weight(RANK_OF[<int>bucket_of(ms) - ZERO], weight)

    def merge(self, TileHistogram other not None):
        """Add another histogram's counts to this one."""
        cdef int mine = 0, theirs = 0, index
        self.negative_count = _plus(self.negative_count, other.negative_count)
        if other.count == 0:
            return
        if self.count == 0 or other.min_ms < self.min_ms:
            self.min_ms = other.min_ms
        if self.count == 0 or other.max_ms > self.max_ms:
            self.max_ms = other.max_ms
        self.count = _plus(self.count, other.count)
        self.sum_ms = _plus(self.sum_ms, other.sum_ms)
        if self.size == 0:
            self._reserve(other.size)
            memcpy(self.ranks, other.ranks, other.size * sizeof(int16_t))
            memcpy(self.weights, other.weights, other.size * sizeof(int64_t))
            self.size = other.size
            return
        for theirs in range(other.size):
            while mine < self.size and self.ranks[mine] < other.ranks[theirs]:
                mine += 1
            if mine < self.size and self.ranks[mine] == other.ranks[theirs]:
                self.weights[mine] = _plus(self.weights[mine], other.weights[theirs])
                continue
            if self.size == self.room:
                self._reserve(self.room + other.size - theirs + 4)
            for index in range(self.size, mine, -1):
                self.ranks[index] = self.ranks[index - 1]
                self.weights[index] = self.weights[index - 1]
            self.ranks[mine] = other.ranks[theirs]
            self.weights[mine] = other.weights[theirs]
            self.size += 1

    def to_list(self):
        """The wire form `[count, min_ms, max_ms, sum_ms, negative_count, {bucket: count}]`."""
        buckets = {str(bucket): weight for bucket, weight in sorted(self.buckets.items())}
        return [self.count, self.min_ms, self.max_ms, self.sum_ms, self.negative_count, buckets]

    cdef object _text(self):
        cdef char[MOST_BUCKETS * 32] out
        cdef int at = 1, index, rank
        out[0] = 123  # {
        for index in range(self.size):
            rank = self.ranks[index]
            if index:
                out[at] = 44
                at += 1
            memcpy(&out[at], NAMES[rank], NAME_SIZES[rank])
            at += NAME_SIZES[rank]
            at += _digits(&out[at], self.weights[index])
        out[at] = 125
        return PyUnicode_DecodeASCII(out, at + 1, NULL)

    def to_columns(self):
        if self.count > 0:
            return self.count, self.min_ms, self.max_ms, self.sum_ms, self.negative_count, self._text()
        return self.count, None, None, self.sum_ms, self.negative_count, self._text()

    @staticmethod
    def from_columns(values):
        cdef TileHistogram histogram = TileHistogram.__new__(TileHistogram)
        count, min_ms, max_ms, sum_ms, negative_count, buckets = values
        histogram.count, histogram.min_ms, histogram.max_ms = count, min_ms or 0, max_ms or 0
        histogram.sum_ms, histogram.negative_count = sum_ms, negative_count
        histogram._add_named(orjson.loads(buckets), MOST_BIGINT)
        return histogram

    def packed(self):
        cdef Py_ssize_t ranks_at = 5 * sizeof(int64_t)
        cdef Py_ssize_t weights_at = ranks_at + self.size * sizeof(int16_t)
        cdef object data = PyBytes_FromStringAndSize(NULL, weights_at + self.size * sizeof(int64_t))
        cdef char* out = PyBytes_AS_STRING(data)
        cdef int64_t[5] head
        head[0], head[1], head[2], head[3], head[4] = (
            self.count, self.min_ms, self.max_ms, self.sum_ms, self.negative_count,
        )
        memcpy(out, head, ranks_at)
        cdef int16_t bucket
        cdef int index
        for index in range(self.size):
            bucket = BUCKET_AT[self.ranks[index]]
            memcpy(out + ranks_at + index * sizeof(int16_t), &bucket, sizeof(int16_t))
        if self.size:
            memcpy(out + weights_at, self.weights, self.size * sizeof(int64_t))
        return data

    @staticmethod
    def unpacked(bytes data not None):
        cdef TileHistogram histogram = TileHistogram.__new__(TileHistogram)
        cdef const char* at = PyBytes_AS_STRING(data)
        cdef Py_ssize_t ranks_at = 5 * sizeof(int64_t)
        cdef int size = <int>((len(data) - ranks_at) // (sizeof(int16_t) + sizeof(int64_t)))
        cdef int64_t[5] head
        memcpy(head, at, ranks_at)
        histogram.count, histogram.min_ms, histogram.max_ms = head[0], head[1], head[2]
        histogram.sum_ms, histogram.negative_count = head[3], head[4]
        cdef const char* weights = at + ranks_at + size * sizeof(int16_t)
        cdef int16_t bucket
        cdef int64_t weight
        cdef int index
        histogram._reserve(size)
        for index in range(size):
            memcpy(&bucket, at + ranks_at + index * sizeof(int16_t), sizeof(int16_t))
            memcpy(&weight, weights + index * sizeof(int64_t), sizeof(int64_t))
            if not 0 <= bucket - ZERO < COUNT:
                raise ValueError("no packed histogram")
            histogram._add_weight(RANK_OF[bucket - ZERO], weight)
        return histogram

    def __reduce__(self):
        from metrics.counting.sums.tile_histogram import unpacked_histogram

        return unpacked_histogram, (self.packed(),)

    def __eq__(self, other):
        return isinstance(other, TileHistogram) and self.to_list() == other.to_list()

    __hash__ = None
