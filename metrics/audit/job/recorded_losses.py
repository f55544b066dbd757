"""Records that a flow did not copy, by its own logs: gap records and dead letters, followed as they grow."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from metrics.audit.recorded_loss import RECREATED, RecordedLoss, gap_loss, letter_of
from replication.domain.names.internal_topics import GAPS
from replication.domain.plan.slot import ClusterClient
from replication.kafka.topic_tail import TopicTail


class LossLogs:
    """One for all topics of an audit; for one thread. Raises `replication.domain.errors` as ClusterAdmin does."""

    def __init__(self, target: ClusterClient, source: str, letters_topic: str, topics: Collection[str]) -> None:
        self._topics = frozenset(topics)
        self._gap_tail = TopicTail(target, GAPS.name(source))
        self._letter_tail = TopicTail(target, letters_topic)
        self._gaps: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
        self._letters: defaultdict[str, list[RecordedLoss]] = defaultdict(list)

    def read(self) -> None:
        """Take over what was written since the last call."""
        for message in self._gap_tail.new_records():
            self._add_gap(message.value())
        for message in self._letter_tail.new_records():
            headers = message.headers()
            letter = letter_of(headers if isinstance(headers, list) else (), message.timestamp()[1])
            if letter is not None and letter.topic in self._topics:
                self._letters[letter.topic].append(letter.loss)

    def of(self, topic: str, topic_id: str) -> list[RecordedLoss]:
        """Gaps and dead letters of this incarnation of the source topic (its id as hex)."""
        begun = self.begun_ms(topic)
        gaps = [gap_loss(fields, topic_id) for fields in self._gaps[topic]]
        letters = [each for each in self._letters[topic] if each.at_ms >= begun.get(each.partition, 0)]
        return [*(gap for gap in gaps if gap is not None), *letters]

    def begun_ms(self, topic: str) -> dict[int, int]:
        """By partition, when the flow noticed that the topic was re-created; what is older is of another one."""
        begun: dict[int, int] = {}
        for fields in self._gaps[topic]:
            if fields.get("cause") == RECREATED:
                partition, at_ms = int(fields["partition"]), int(fields.get("detected_ms") or 0)
                begun[partition] = max(at_ms, begun.get(partition, 0))
        return begun

    def close(self) -> None:
        self._gap_tail.close()
        self._letter_tail.close()

    def _add_gap(self, value: object) -> None:
        try:
            fields = json.loads(value) if isinstance(value, bytes) else None
        except ValueError:
            return
        if not isinstance(fields, dict) or not isinstance(fields.get("partition"), int):
            return
        if fields.get("topic") in self._topics:
            self._gaps[str(fields["topic"])].append(fields)
