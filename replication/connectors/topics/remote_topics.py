"""Creates and widens a flow's remote topics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog

from replication.connectors.plan.source_settings import SourceSettings, clamped
from replication.domain.plan.plan_document import PlanWarning, SkippedTopic, plan_warning
from replication.domain.plan.rights import REMOTE_TOPIC_OPERATIONS, Right, grant_commands
from replication.domain.plan.topic_config import configs_to_copy
from replication.domain.plan.topic_plan import AddPartitions, CreateTopic, WantedTopic, diff_topics
from replication.ports.admin import ClusterAdmin, NewTopic, Refused

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedTopics:
    """The partitions on the target afterwards, and the topics that were refused."""

    partitions: Mapping[str, int]
    skipped: tuple[SkippedTopic, ...] = ()
    warnings: tuple[PlanWarning, ...] = ()


class RemoteTopics:
    """Applies topic changes through the ports; never deletes a topic."""

    def __init__(self, source: ClusterAdmin, target: ClusterAdmin, settings: SourceSettings) -> None:
        self._source = source
        self._target = target
        self._settings = settings

    def apply(self, wanted: Sequence[WantedTopic], actual: Mapping[str, int], brokers: int) -> AppliedTopics:
        """Create and widen topics; a refused topic is skipped and does not stop the others."""
        steps = diff_topics(wanted, actual)
        if not steps:
            return AppliedTopics(partitions=actual)
        creations = [step.topic for step in steps if isinstance(step, CreateTopic)]
        growths = {step.remote: step.count for step in steps if isinstance(step, AddPartitions)}
        refused = self._create(creations, brokers)
        upstream_of = {topic.remote: topic.upstream for topic in creations}
        return AppliedTopics(
            skipped=tuple(SkippedTopic(topic=upstream_of[each.topic], reason=self._reason(each)) for each in refused),
            warnings=self._grow(growths),
            partitions=self._target.list_topics(),
        )

    def _create(self, topics: Sequence[WantedTopic], brokers: int) -> tuple[Refused, ...]:
        if not topics:
            return ()
        configs = self._source.topic_configs([topic.upstream for topic in topics])
        rules = self._settings.config_rules
        refused = self._target.create_topics(
            [
                NewTopic(
                    name=topic.remote,
                    partitions=topic.partitions,
                    replication_factor=clamped(self._settings.factors.remote_topics, brokers),
                    configs=configs_to_copy(configs.get(topic.upstream, {}).values(), rules),
                )
                for topic in topics
            ]
        )
        log.info("remote topics created", cluster=self._target.alias, topics=len(topics) - len(refused))
        return refused

    def _reason(self, refused: Refused) -> str:
        text = f"cluster {self._target.alias} refused to create {refused.topic}: {refused.text} ({refused.code})"
        if "AUTHORIZATION" not in refused.code:
            return text
        rights = [
            Right(kind="topic", name=refused.topic, operation=operation)
            for operation in ("create", *REMOTE_TOPIC_OPERATIONS)
        ]
        commands = " && ".join(grant_commands(self._target.servers, self._target.principal, rights))
        return f"{text}; create the topic, or grant the rights: {commands}"

    def _grow(self, counts: Mapping[str, int]) -> tuple[PlanWarning, ...]:
        if not counts:
            return ()
        return tuple(
            plan_warning(
                "partitions_refused",
                f"cluster {self._target.alias} refused to add partitions to {each.topic}: {each.text}",
                cluster=self._target.alias,
            )
            for each in self._target.create_partitions(counts)
        )
