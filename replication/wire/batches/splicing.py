"""The compiled splicer, where there was a C compiler when the packages were installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from replication.wire.batches.record_splicer import RecordSplicer


def _compiled() -> type[RecordSplicer] | None:
    try:
        from replication.wire.batches.record_splicer import RecordSplicer
    except ImportError:
        return None
    return RecordSplicer


SPLICER = _compiled()
