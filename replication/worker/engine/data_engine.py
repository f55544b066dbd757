"""The data engine of a data worker: the composition root that gives source tasks their wire adapters."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import structlog

from replication.domain.errors import Cause
from replication.domain.plan.slot import SlotSpec
from replication.domain.reporting.recent_figures import PartitionFigures
from replication.tasks.fetch.leaders import CLIENT_RACK
from replication.tasks.slot_context import SlotPorts
from replication.tasks.source_task import SourceTask
from replication.wire.batches.batch_opener import WireBatchOpener
from replication.wire.batches.record_path import WireRecordPath
from replication.wire.fetch.batch_fetcher import WireBatchFetcher
from replication.wire.network.buffers import SlotMemory
from replication.wire.network.loop import EngineLoop
from replication.wire.network.slot_frames import SharedFrames
from replication.wire.offsets.position_store import WirePositionStore
from replication.wire.offsets.target_history import WireTargetHistory
from replication.wire.produce.batch_producer import WireBatchProducer
from replication.wire.produce.owner_log import WireOwnerLog
from replication.wire.produce.record_appender import WireRecordAppender
from replication.wire.produce.registry_reader import WireProducerRegistry
from replication.wire.produce.transactions import SlotTransactions
from replication.wire.slot_links import SlotLinks
from replication.worker.engine.freed_memory import give_back_freed_memory
from replication.worker.engine.loop_beat import BEAT_S, LoopBeat
from replication.worker.engine.record_rules import make_record_rules
from replication.worker.reporting.process_load import resident_bytes

log = structlog.get_logger(__name__)

FRAME_POOL_BYTES = 96 * 1024 * 1024
TELL_STEPS_S = 60.0


class WireSlotHandle:
    """A thread-safe handle of a slot that runs on the loop."""

    def __init__(self, loop: EngineLoop, task: SourceTask, links: SlotLinks) -> None:
        self._loop = loop
        self._task = task
        self._links = links
        self._ended = threading.Event()
        self._error: BaseException | None = None

    async def run(self) -> None:
        """The coroutine that the engine puts on the loop."""
        try:
            await self._task.run()
        except BaseException as error:
            self._error = error
            log.warning("slot ended", error=f"{type(error).__name__}: {error}")
        finally:
            self._ended.set()

    def update(self, spec: SlotSpec) -> None:
        self._loop.call_threadsafe(lambda: self._follow(spec))

    def _follow(self, spec: SlotSpec) -> None:
        self._links.follow(spec)
        self._task.update(spec)

    def stop(self, why: Cause | None = None) -> None:
        if not self._ended.is_set():
            self._loop.call_threadsafe(lambda: self._task.stop(why))

    def wait(self, timeout_s: float | None = None) -> bool:
        return self._ended.wait(timeout_s)

    def error(self) -> BaseException | None:
        return self._error

    def live(self) -> dict[str, Any]:
        return self._task.live

    def partitions(self) -> list[PartitionFigures]:
        return self._task.partition_figures()


class WireDataEngine:
    """One loop and one pool of frame buffers for all slots of the process."""

    def __init__(self, name: str = "srm", pool_bytes: int = FRAME_POOL_BYTES, folder: Path | None = None) -> None:
        """`folder` holds the batches that stuck partitions spill to disk; see `SlotMemory`."""
        self._folder = folder
        self._name = name
        self._loop = EngineLoop(name)
        self._frames = SharedFrames(pool_bytes)
        self._handles: list[WireSlotHandle] = []
        self._loop_beat = LoopBeat(self._loop.monotonic_s())

    def start(self, lost: Callable[[], None] | None = None) -> None:
        self._loop_beat.restart(self._loop.monotonic_s())
        self._loop.start(lost)
        self._loop.call_threadsafe(self._start_beating)

    def _start_beating(self) -> None:
        self._loop.spawn(self._beat())

    async def _beat(self) -> None:
        told_s = self._loop.monotonic_s()
        while True:
            now_s = self._loop.monotonic_s()
            self._loop_beat.note(now_s)
            if now_s - told_s >= TELL_STEPS_S:
                told_s = now_s
                self._tell_steps()
                self._loop.spawn(self._tell_memory())
            await self._loop.sleep(BEAT_S)

    def _tell_steps(self) -> None:
        """A line about the long steps of the loop: they are why all flows of the process were slow at once."""
        if times := self._loop.net.step_times.drain():
            log.info("loop steps", **times)

    async def _tell_memory(self) -> None:
        """Give back what a burst needed, and a line about the memory that is left."""
        pool = self._frames.pool
        pool.trim()
        await self._loop.run_aside(give_back_freed_memory)
        rss_bytes = resident_bytes()
        log.info("memory", rss_bytes=rss_bytes, frame_bytes=pool.held_bytes, used_frame_bytes=pool.used_bytes)

    def silent_s(self) -> float:
        return self._loop_beat.silent_s(self._loop.monotonic_s())

    def loop_lag_ms(self) -> int:
        return self._loop_beat.lag_ms(self._loop.monotonic_s())

    def partition_figures(self) -> list[PartitionFigures]:
        return [figures for handle in tuple(self._handles) if not handle.wait(0) for figures in handle.partitions()]

    def start_slot(self, spec: SlotSpec, *, driver: str, boot: str) -> WireSlotHandle:
        links = self._links(spec)
        task = SourceTask(spec, self._ports(spec, links), driver=driver, boot=boot)
        handle = WireSlotHandle(self._loop, task, links)
        self._handles = [known for known in self._handles if not known.wait(0)]
        self._handles.append(handle)
        self._loop.call_threadsafe(lambda: self._spawn(handle))
        return handle

    def _spawn(self, handle: WireSlotHandle) -> None:
        self._loop.spawn(handle.run())

    def _links(self, spec: SlotSpec) -> SlotLinks:
        client_id = f"{self._name}-{spec.flow.source}-{spec.flow.target}-{spec.slot}"
        return SlotLinks(self._loop, self._frames.open_slot(), spec, client_id)

    def _ports(self, spec: SlotSpec, links: SlotLinks) -> SlotPorts:
        loop, pool = self._loop, links.pool
        positions = links.to_target("positions")
        fetches, metadata = links.to_source("fetch"), links.to_source("metadata", spec.isolation_level)
        records = links.to_target("records")
        syncs = links.to_target("syncs") if spec.offset_syncs_on_target else links.to_source("syncs")
        transactions = SlotTransactions(loop, positions)
        producer = WireBatchProducer(lambda: links.to_target("data"), transactions)
        rack = spec.source.client.get(CLIENT_RACK, "").strip()
        return SlotPorts(
            loop=loop,
            connections=(positions, producer, fetches, metadata, records, syncs),
            source=metadata,
            target=records,
            fetcher=WireBatchFetcher(loop, pool, fetches, spec.isolation_level, rack),
            producer=producer,
            transactions=transactions,
            positions=WirePositionStore(loop, positions, transactions),
            history=WireTargetHistory(loop, records, syncs),
            records=WireRecordAppender(loop, records),
            syncs=WireRecordAppender(loop, syncs),
            opener=WireBatchOpener(),
            record_path=WireRecordPath(make_record_rules(spec)),
            producers=WireProducerRegistry(loop, links.to_source("producers")),
            owners=WireProducerRegistry(loop, records, shares_link=True),
            claims=WireOwnerLog(loop, positions, transactions),
            memory=SlotMemory(folder=self._folder),
        )

    def stop(self, timeout_s: float) -> None:
        for handle in self._handles:
            handle.stop()
        for handle in self._handles:
            handle.wait(timeout_s)
        self._loop.stop(2.0)


def open_data_engine(folder: Path | None = None) -> WireDataEngine:
    """Return the engine of this process, not started yet."""
    return WireDataEngine(folder=folder)
