"""Copies topic configs to the remote topics, and holds the limits of the remote topics.

Topics are checked round robin, some hundreds per run, so that each is checked once per interval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import structlog

from replication.codecs.applied_records import AppliedSettings
from replication.connectors.plan.round_robin import RoundRobin
from replication.connectors.plan.source_settings import SourceSettings
from replication.connectors.topics.applied_ledger import AppliedLedger
from replication.domain.plan.plan_document import PlanWarning, plan_warning
from replication.domain.plan.preflight import PreflightFinding, TopicPair, topic_findings
from replication.domain.plan.slot import TimestampType
from replication.domain.plan.topic_config import ConfigChange, ConfigValue, configs_to_copy, diff_configs
from replication.domain.plan.topic_plan import WantedTopic
from replication.domain.settings.registry.topic_filters import CONFIG_PROPERTIES_EXCLUDE
from replication.ports.admin import ClusterAdmin

log = structlog.get_logger(__name__)
_PER_RUN = 500
_DEFAULT_MAX_MESSAGE_BYTES = 1_048_588
Configs = Mapping[str, ConfigValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteTopic:
    """The properties of a remote topic that its producer needs."""

    max_message_bytes: int
    timestamp_type: TimestampType


class TopicConfigs:
    """Blocking; one thread at a time. Raises the errors of ClusterAdmin when a cluster does not answer."""

    def __init__(
        self, source: ClusterAdmin, target: ClusterAdmin, settings: SourceSettings, ledger: AppliedLedger
    ) -> None:
        self._source = source
        self._target = target
        self._settings = settings
        self._ledger = ledger
        self._schedule = RoundRobin(valid_ms=settings.config_interval_s * 1000, per_run=_PER_RUN)
        self._remote: dict[str, RemoteTopic] = {}
        self._largest: dict[str, int] = {}  # by remote topic: the larger limit of it and its original
        self._findings: dict[str, tuple[PreflightFinding, ...]] = {}  # by upstream topic
        self._refused: dict[str, str] = {}  # by upstream topic

    @property
    def remote_topics(self) -> Mapping[str, RemoteTopic]:
        """The remote topics checked so far, by name."""
        return self._remote

    @property
    def largest_batch_bytes(self) -> int:
        """The largest batch that any topic allows, on either side."""
        return max(self._largest.values(), default=_DEFAULT_MAX_MESSAGE_BYTES)

    @property
    def findings(self) -> tuple[PreflightFinding, ...]:
        """Findings about pairs of topics, ordered by name."""
        return tuple(finding for _, found in sorted(self._findings.items()) for finding in found)

    @property
    def warnings(self) -> tuple[PlanWarning, ...]:
        """Warnings about configs that the target refused."""
        return tuple(
            plan_warning("configs_refused", text, cluster=self._target.alias)
            for _, text in sorted(self._refused.items())
        )

    def refresh(self, topics: Sequence[WantedTopic], widths: Mapping[str, int], now_ms: int) -> None:
        """Check the topics that are due; `topics` exist on both sides, `widths` are the remote topics' partitions."""
        by_name = {topic.upstream: topic for topic in topics}
        due = [by_name[name] for name in sorted(self._schedule.due(by_name, now_ms))]
        self._forget(by_name)
        upstream = self._source.topic_configs([topic.upstream for topic in due]) if due else {}
        remote = self._target.topic_configs([topic.remote for topic in due]) if due else {}
        pairs = [
            TopicPair(
                topic=topic,
                remote_partitions=widths.get(topic.remote, 0),
                upstream=upstream[topic.upstream],
                remote=remote[topic.remote],
                syncs_configs=self._settings.syncs_configs,
            )
            for topic in due
            if topic.upstream in upstream and topic.remote in remote
        ]
        for topic in due:  # a topic whose configs may not be read is copied with the default limits
            self._remote.setdefault(topic.remote, _remote_topic({}))
        for pair in pairs:
            self._remote[pair.topic.remote] = _remote_topic(pair.remote)
            self._largest[pair.topic.remote] = max(_size(pair.upstream), _size(pair.remote))
            self._findings[pair.topic.upstream] = topic_findings(pair, self._target.alias)
        if self._settings.syncs_configs:
            self._copy_configs(pairs)
        self._schedule.mark_checked([topic.upstream for topic in due], now_ms)

    def _forget(self, present: Mapping[str, WantedTopic]) -> None:
        remote = {topic.remote for topic in present.values()}
        self._remote = {name: known for name, known in self._remote.items() if name in remote}
        self._largest = {name: size for name, size in self._largest.items() if name in remote}
        self._findings = {name: found for name, found in self._findings.items() if name in present}
        self._refused = {name: text for name, text in self._refused.items() if name in present}

    def _copy_configs(self, pairs: Sequence[TopicPair]) -> None:
        upstream_of: dict[str, str] = {}
        changes: list[ConfigChange] = []
        for pair in pairs:
            remote, before = pair.topic.remote, self._ledger.of(pair.topic.remote)
            wanted = configs_to_copy(pair.upstream.values(), self._settings.config_rules)
            change = diff_configs(remote, wanted, pair.remote, before.configs)
            self._ledger.put(remote, AppliedSettings(configs=wanted, acls=before.acls))
            self._refused.pop(pair.topic.upstream, None)
            if change is not None:
                upstream_of[remote] = pair.topic.upstream
                changes.append(change)
        self._ledger.flush()  # before the change: a config that is not recorded would never be reverted
        self._alter(changes, upstream_of)

    def _alter(self, changes: Sequence[ConfigChange], upstream_of: Mapping[str, str]) -> None:
        if not changes:
            return
        refused = {each.topic: each for each in self._target.alter_topic_configs(changes)}
        # the cluster refuses all keys of a topic because of one; the retry sends each key separately
        singles = [single for change in changes if change.topic in refused for single in _singles(change)]
        for single in singles:
            for each in self._target.alter_topic_configs([single]):
                self._refused[upstream_of[single.topic]] = (
                    f"cluster {self._target.alias} refused {_words(single)} on {single.topic}: {each.text} "
                    f"({each.code}); exclude the key by {CONFIG_PROPERTIES_EXCLUDE} or grant AlterConfigs"
                )
        for change in changes:
            self._altered(change, change.topic in refused)

    def _altered(self, change: ConfigChange, partly: bool) -> None:
        size = change.set.get("max.message.bytes")
        known = self._remote[change.topic]
        if size is not None and not partly:
            self._remote[change.topic] = RemoteTopic(max_message_bytes=int(size), timestamp_type=known.timestamp_type)
        log.info("topic configs altered", topic=change.topic, set=dict(change.set), deleted=list(change.delete))


def _singles(change: ConfigChange) -> tuple[ConfigChange, ...]:
    return (
        *(ConfigChange(topic=change.topic, set={name: value}) for name, value in change.set.items()),
        *(ConfigChange(topic=change.topic, set={}, delete=(name,)) for name in change.delete),
    )


def _words(change: ConfigChange) -> str:
    return ", ".join([*(f"{name}={value}" for name, value in change.set.items()), *change.delete])


def _remote_topic(configs: Configs) -> RemoteTopic:
    stamp = configs.get("message.timestamp.type")
    wanted = stamp.value if stamp is not None else None
    timestamp_type: TimestampType = next((kind for kind in get_args(TimestampType) if kind == wanted), "CreateTime")
    return RemoteTopic(
        max_message_bytes=_size(configs),
        timestamp_type=timestamp_type,
    )


def _size(configs: Configs) -> int:
    size = configs.get("max.message.bytes")
    return int(size.value) if size is not None and size.value else _DEFAULT_MAX_MESSAGE_BYTES
