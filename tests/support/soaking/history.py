"""What the sources ever held: records that retention or a deletion took are kept for the audit at the end."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.auditor import Findings, Partitions, Record, audit, read_partitions
from tests.support.kafka_records import topic_id

LIFE = 10**12  # added to the offsets of each later life of a topic, so that lives never overlap
_WITHOUT_END = LIFE - 1


@dataclass(slots=True)
class TopicHistory:
    """All lives of one source topic under its name."""

    bootstrap: str
    topic: str
    partitions: int
    _ids: list[str] = field(default_factory=list)
    _records: list[dict[int, dict[int, Record]]] = field(default_factory=list)

    def begin_life(self) -> None:
        self._ids.append(topic_id(self.bootstrap, self.topic).hex())
        self._records.append(defaultdict(dict))

    def remember(self) -> None:
        """Keep what stands in the topic now, as a reader of committed data sees it."""
        for number, records in read_partitions(self.bootstrap, self.topic, range(self.partitions)).items():
            self._records[-1][number].update({record.offset: record for record in records})

    def everything(self) -> Partitions:
        """In the order it was written, with offsets that tell the lives apart."""
        found: Partitions = {number: [] for number in range(self.partitions)}
        for life, partitions in enumerate(self._records):
            for number, by_offset in partitions.items():
                found[number] += [by_offset[at]._replace(offset=at + life * LIFE) for at in sorted(by_offset)]
        return found

    def excused(self, gaps: Iterable[Mapping[str, Any]]) -> dict[int, list[range]]:
        """What gap records of this topic name, in the same offsets."""
        found: dict[int, list[range]] = defaultdict(list)
        for gap in gaps:
            if gap["topic"] == self.topic and gap["topic_id"] in self._ids:
                shift = self._ids.index(gap["topic_id"]) * LIFE
                upper = _WITHOUT_END if gap["to_offset"] is None else gap["to_offset"]
                first, last = sorted((gap["from_offset"], upper))
                found[gap["partition"]].append(range(first + shift, last + shift))
        return found

    def compare(
        self, target_bootstrap: str, remote: str, gaps: Iterable[Mapping[str, Any]], *, committed: bool
    ) -> Findings:
        """`committed`: as readers of committed data see the target, which exactly once is for; else everything."""
        uncommitted = read_partitions(self.bootstrap, self.topic, range(self.partitions), committed=False)
        target = read_partitions(target_bootstrap, remote, range(self.partitions), committed=committed)
        return audit(self.everything(), target, uncommitted=uncommitted, excused=self.excused(gaps))
