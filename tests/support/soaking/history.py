"""The records that the sources ever held: those removed by retention or deletion are kept for the final audit."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.engine.auditor import (
    Findings,
    Partitions,
    Place,
    Record,
    against_source,
    audit,
    log_starts,
    names_missing,
    read_partitions,
)
from tests.support.kafka.kafka_records import topic_id

LIFE = 10**12  # added to the offsets of each later life of a topic, so that lives never overlap


@dataclass(slots=True)
class TopicHistory:
    """All lives of one source topic under its name."""

    bootstrap: str
    topic: str
    partitions: int
    _ids: list[str] = field(default_factory=list)
    _records: list[dict[int, dict[int, Record]]] = field(default_factory=list)
    _log_starts: list[dict[int, int]] = field(default_factory=list)  # as of the last look at each life

    def begin_life(self) -> None:
        self._ids.append(topic_id(self.bootstrap, self.topic).hex())
        self._records.append(defaultdict(dict))
        self._log_starts.append({})

    def remember(self) -> None:
        """Keep the present records of the topic, as a reader of committed data sees it."""
        for number, records in read_partitions(self.bootstrap, self.topic, range(self.partitions)).items():
            self._records[-1][number].update({record.offset: record for record in records})
        self._log_starts[-1] = log_starts(self.bootstrap, self.topic, range(self.partitions))

    def everything(self) -> Partitions:
        """In the order it was written, with offsets that tell the lives apart."""
        found: Partitions = {number: [] for number in range(self.partitions)}
        for life, partitions in enumerate(self._records):
            for number, by_offset in partitions.items():
                found[number] += [by_offset[at]._replace(offset=at + life * LIFE) for at in sorted(by_offset)]
        return found

    def excused(self, gaps: Iterable[Mapping[str, Any]]) -> tuple[dict[int, list[range]], list[Place]]:
        """Return the offsets that this topic's gap records excuse, and the places where they are wrong."""
        found: dict[int, list[range]] = defaultdict(list)
        untrue: list[Place] = []
        for gap in gaps:
            if gap["topic"] != self.topic or not names_missing(gap):
                continue
            if gap["topic_id"] not in self._ids:
                untrue.append((gap["partition"], gap["from_offset"]))
                continue
            life = self._ids.index(gap["topic_id"])
            said, shift = against_source(gap, self._log_starts[life].get(gap["partition"], 0)), life * LIFE
            found[said.partition].append(range(said.borne_out.start + shift, said.borne_out.stop + shift))
            if said.still_there:
                untrue.append((said.partition, said.still_there.start + shift))
        return dict(found), untrue

    def compare(
        self, target_bootstrap: str, remote: str, gaps: Iterable[Mapping[str, Any]], *, committed: bool
    ) -> Findings:
        """`committed`: as readers of committed data see the target, which exactly once is for; else everything."""
        uncommitted = read_partitions(self.bootstrap, self.topic, range(self.partitions), committed=False)
        target = read_partitions(target_bootstrap, remote, range(self.partitions), committed=committed)
        excused, untrue = self.excused(gaps)
        findings = audit(self.everything(), target, uncommitted=uncommitted, excused=excused)
        findings.untrue += untrue
        return findings
