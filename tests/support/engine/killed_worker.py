"""A data worker's engine in a separate process, which is killed with -9."""

import multiprocessing
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from replication.domain.plan.slot import SlotSpec
from replication.worker.engine.data_engine import WireDataEngine


@contextmanager
def killed_worker(specs: Sequence[SlotSpec]) -> Iterator[None]:
    """Copy these slots until the block ends; nothing is written down then."""
    process = multiprocessing.get_context("spawn").Process(target=_copy, args=(specs, uuid.uuid4().hex), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join(10)


def _copy(specs: Sequence[SlotSpec], boot: str) -> None:
    engine = WireDataEngine("dies", pool_bytes=32 * 1024 * 1024)
    engine.start()
    for spec in specs:
        engine.start_slot(spec, driver="dies", boot=boot)
    time.sleep(3_600)
