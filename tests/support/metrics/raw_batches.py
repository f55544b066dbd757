"""Batches of raw rows with everything that makes counting hard, made from a seed."""

import json
import random
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from metrics.counting.records import RawRow
from tests.support.metrics.raw_metrics import START_MS, RawTask, Record, encode

TOPIC = "srm-metrics.{}.internal"
_BAD: tuple[bytes | None, ...] = (b"no json", b"[]", None, b'{"kind":"task","v":9}')


class RawLogs:
    """Raw partitions that grow by batches: restarts, repeats, bad and late records, added partitions, two sources.

    `moving` False: no record is repeated in another raw partition, so a batch of any size can be cut by shard.
    """

    def __init__(self, seed: int, tasks: int, topics_per_task: int, partitions: int, *, moving: bool = True) -> None:
        self._random = random.Random(seed)
        self._moving = moving
        self._partitions = 2
        self._offsets: defaultdict[tuple[str, int], int] = defaultdict(int)
        self._last: dict[int, tuple[Record, int]] = {}
        self._tasks = [
            [
                RawTask(
                    source="a" if slot % 3 else "c",
                    slot=slot,
                    topic=f"topic-{slot}-{number}",
                    partitions=tuple(range(partitions)),
                    now_ms=START_MS,
                )
                for number in range(topics_per_task)
            ]
            for slot in range(tasks)
        ]

    def batch(self, periods: int) -> list[RawRow]:
        """The rows of the next periods, as Spark would hand them over: in no order."""
        rows = [row for _ in range(periods) for slot in range(len(self._tasks)) for row in self._period(slot)]
        self._random.shuffle(rows)
        return rows

    def add_partition(self) -> None:
        """Tasks move to other partitions, as keys do."""
        self._partitions += 1

    def _period(self, slot: int) -> Iterator[RawRow]:
        chance = self._random.random
        task = self._tasks[slot]
        if chance() < 0.05:
            for each in task:
                each.restart(f"boot-{self._random.randrange(1_000)}")
        if chance() < 0.03:  # a source topic is re-created
            task[0].topic_id = f"{self._random.randrange(256):02x}" * 16
            task[0].positions.clear()
        if chance() < 0.02:  # silent for minutes
            for each in task:
                each.now_ms += 200_000
        record = self._record(task)
        yield self._row(slot, record)
        if chance() < 0.1:
            yield self._row(slot, record)
        if chance() < 0.02 and self._moving:
            yield self._row(slot, record, elsewhere=True)
        if chance() < 0.05:
            yield self._row(slot, self._random.choice(_BAD))
        if chance() < 0.2:
            yield from (self._row(slot, each) for each in self._beside(task[0]))

    def _record(self, task: list[RawTask]) -> Record:
        """One record about the topics of a task; some are not reported."""
        chance = self._random.random
        told = [each for each in task if chance() < 0.7] or task[:1]
        reports = []
        for each in task:
            report = each.report(self._random.randrange(20), skip=5 * (chance() < 0.05), again=3 * (chance() < 0.05))
            if each in told:
                reports.append(report)
        first = dict(reports[0])
        first["seq"] = task[0].seq
        first["topics"] = [report["topics"][0] for report in reports]
        first["parts"] = [[index, *part[1:]] for index, report in enumerate(reports) for part in report["parts"]]
        if chance() < 0.05:
            first["parts"].append(["unreadable", {"deep": [1]}])
        if chance() < 0.05:  # late
            first["to_ms"] -= 60_000 * self._random.randrange(1, 150)
            first["from_ms"] = first["to_ms"] - 5_000
        if chance() < 0.3:
            first["counters"] = {"resent_records": self._random.randrange(9)}
        return first

    def _beside(self, task: RawTask) -> Iterator[Record]:
        """Records of the other kinds, with the next number of the task."""
        pick = self._random.randrange
        kinds: list[dict[str, Any]] = [
            {"kind": "heartbeat", "sent_ms": 1, "age_ms": pick(1_000)},
            {"kind": "event", "events": [[task.now_ms, "partition", "t", 0, "a", "b", None, str(pick(9))]]},
            {"kind": "group", "groups": [["billing", "t", pick(3), pick(90), 80, 100, [1, 5, 5, 5, 0, {"9": 1}]]]},
        ]
        task.seq += 1
        yield task.envelope(**self._random.choice(kinds))

    def _row(self, slot: int, value: Record | bytes | None, *, elsewhere: bool = False) -> RawRow:
        topic = TOPIC.format(self._tasks[slot][0].source)
        raw = topic, (slot + elsewhere) % self._partitions
        offset = self._offsets[raw]
        self._offsets[raw] += 1 + (self._random.random() < 0.05)  # control records
        return RawRow(*raw, offset, encode(value) if isinstance(value, dict) else value)


def dumped(rows: list[RawRow]) -> str:
    """For a message."""
    return json.dumps([row[:3] for row in rows[:5]])
