"""Gives memory that was freed back to the system: the C library keeps it, by threads, for what may come next.

One large batch that was opened leaves tens of megabytes to each thread that touched it, and a worker that met a few of
them would seem to leak.
"""

import ctypes

KEPT_BYTES = 1024 * 1024  # at the end of the heap, for what comes next


def give_back_freed_memory() -> bool:
    """Return True if memory was given back; False also where the C library cannot do it."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim is not None and bool(trim(KEPT_BYTES))
