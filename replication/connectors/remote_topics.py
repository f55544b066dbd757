"""Brings a flow's remote topics into being and tells what they are like."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from replication.connectors.source_settings import SourceSettings, clamped
from replication.domain.filters import NameFilter
from replication.domain.plan import PlanWarning, SkippedTopic
from replication.domain.slot import TimestampType
from replication.domain.topic_config import ConfigValue, configs_to_copy
from replication.domain.topic_plan import AddPartitions, CreateTopic, TopicStep, WantedTopic, diff_topics
from replication.ports.admin import ClusterAdmin, NewTopic, Refused

_CONFIGS_VALID_MS = 60_000
_DEFAULT_MAX_MESSAGE_BYTES = 1_048_588


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteTopic:
    """What a producer must know of a remote topic."""

    max_message_bytes: int
    timestamp_type: TimestampType


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """The target after the steps, and what could not be done."""

    partitions: Mapping[str, int]
    skipped: tuple[SkippedTopic, ...] = ()
    warnings: tuple[PlanWarning, ...] = ()


class RemoteTopics:
    """Applies topic steps through the ports and keeps the remote topics' configs for a minute."""

    def __init__(self, source: ClusterAdmin, target: ClusterAdmin, settings: SourceSettings) -> None:
        self._source = source
        self._target = target
        self._settings = settings
        self._excluded = NameFilter.of(settings.excluded_configs)
        self._known: dict[str, RemoteTopic] = {}
        self._known_at_ms = 0

    def apply(self, wanted: Sequence[WantedTopic], actual: Mapping[str, int], brokers: int) -> Applied:
        """Create and grow; one refused topic is skipped and does not stop the others."""
        steps = diff_topics(wanted, actual)
        if not steps:
            return Applied(partitions=actual)
        creations = [step.topic for step in steps if isinstance(step, CreateTopic)]
        refused = self._create(creations, brokers)
        upstream_of = {topic.remote: topic.upstream for topic in creations}
        return Applied(
            skipped=tuple(
                SkippedTopic(
                    topic=upstream_of[each.topic],
                    reason=f"cluster {self._target.alias} refused to create {each.topic}: {each.text} ({each.code})",
                )
                for each in refused
            ),
            warnings=self._grow(steps),
            partitions=self._target.list_topics(),
        )

    def describe(self, names: Collection[str], now_ms: int) -> Mapping[str, RemoteTopic]:
        """Read what is not known yet, and everything once a minute."""
        if now_ms - self._known_at_ms > _CONFIGS_VALID_MS:
            self._known.clear()
            self._known_at_ms = now_ms
        unknown = [name for name in names if name not in self._known]
        if unknown:
            configs = self._target.topic_configs(unknown)
            self._known |= {name: _remote_topic(found) for name, found in configs.items()}
        return self._known

    def _create(self, topics: Sequence[WantedTopic], brokers: int) -> tuple[Refused, ...]:
        if not topics:
            return ()
        configs = self._source.topic_configs([topic.upstream for topic in topics])
        return self._target.create_topics(
            [
                NewTopic(
                    name=topic.remote,
                    partitions=topic.partitions,
                    replication_factor=clamped(self._settings.replication_factor, brokers),
                    configs=configs_to_copy(configs.get(topic.upstream, {}).values(), self._excluded),
                )
                for topic in topics
            ]
        )

    def _grow(self, steps: Sequence[TopicStep]) -> tuple[PlanWarning, ...]:
        counts = {step.remote: step.count for step in steps if isinstance(step, AddPartitions)}
        if not counts:
            return ()
        return tuple(
            PlanWarning(
                code="partitions_refused",
                text=f"cluster {self._target.alias} refused to add partitions to {each.topic}: {each.text}",
            )
            for each in self._target.create_partitions(counts)
        )


def _remote_topic(configs: Mapping[str, ConfigValue]) -> RemoteTopic:
    size = configs.get("max.message.bytes")
    stamp = configs.get("message.timestamp.type")
    wanted = stamp.value if stamp is not None else None
    timestamp_type: TimestampType = next((kind for kind in get_args(TimestampType) if kind == wanted), "CreateTime")
    return RemoteTopic(
        max_message_bytes=int(size.value) if size is not None and size.value else _DEFAULT_MAX_MESSAGE_BYTES,
        timestamp_type=timestamp_type,
    )
