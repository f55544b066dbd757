"""Compares the internal topics of a flow with their declaration; changes nothing."""

from collections.abc import Iterator, Mapping, Sequence

from replication.config.flows.policies import internal_separator
from replication.connectors.plan.source_settings import SourceSettings
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.errors import AuthorizationError
from replication.domain.identifiers import FlowId
from replication.domain.names.internal_topic import InternalTopic
from replication.domain.names.internal_topics import (
    CHECKPOINTS,
    DEAD_LETTERS,
    INTERNAL_TOPICS,
    OFFSET_SYNCS,
    checkpoints_topic,
    offset_syncs_topic,
)
from replication.domain.plan.internal_topic_findings import (
    JUDGED_CONFIGS,
    FoundTopic,
    internal_topic_findings,
    may_lack_replicas,
)
from replication.domain.plan.preflight import Client, PreflightFinding
from replication.ports.admin import ClusterAdmin

_NAMED_BY_FLOW = (OFFSET_SYNCS, CHECKPOINTS, DEAD_LETTERS)


class InternalTopicCheck:
    """The internal topics of one flow. Blocking; one thread at a time."""

    def __init__(
        self, flow: DesiredFlow, flow_id: FlowId, settings: SourceSettings, source: ClusterAdmin, target: ClusterAdmin
    ) -> None:
        self._flow = flow
        self._id = flow_id
        self._settings = settings
        self._source = source
        self._target = target

    def findings(
        self, source_topics: Mapping[str, int], target_topics: Mapping[str, int]
    ) -> tuple[PreflightFinding, ...]:
        """Return what is wrong with the topics that exist and are visible; an error blocks the flow.

        The topics of both clusters come with their partitions; one that is missing there has just been created. One
        request per cluster, and one more for topics whose writes need several replicas. Raises as ClusterAdmin.
        """
        return (
            *_findings(self._target, self._on_target(), target_topics),
            *_findings(self._source, self._on_source(), source_topics),
        )

    def _on_target(self) -> Mapping[str, InternalTopic]:
        source, separator = self._id.source, self._separator
        topics = {each.name(source): each for each in INTERNAL_TOPICS if each not in _NAMED_BY_FLOW}
        topics[checkpoints_topic(self._id, separator=separator)] = CHECKPOINTS
        if self._settings.dead_letters is not None:
            topics[self._settings.dead_letters or DEAD_LETTERS.name(source)] = DEAD_LETTERS
        if self._settings.offset_syncs_on_target:
            topics |= self._syncs()
        return topics

    def _on_source(self) -> Mapping[str, InternalTopic]:
        return {} if self._settings.offset_syncs_on_target else self._syncs()

    def _syncs(self) -> dict[str, InternalTopic]:
        on_target = self._settings.offset_syncs_on_target
        name = offset_syncs_topic(self._id, separator=self._separator, on_target=on_target)
        return {name: OFFSET_SYNCS} if self._settings.writes_offset_syncs else {}

    @property
    def _separator(self) -> str:
        return internal_separator(self._flow.policy, self._flow.connectors.source)


def _findings(
    admin: ClusterAdmin, topics: Mapping[str, InternalTopic], partitions: Mapping[str, int]
) -> Iterator[PreflightFinding]:
    configs = admin.chosen_configs(topics, JUDGED_CONFIGS) if topics else {}
    factors = _factors(admin, [name for name, found in configs.items() if may_lack_replicas(found)])
    client = Client(cluster=admin.alias, servers=admin.servers, principal=admin.principal)
    for name, values in sorted(configs.items()):
        found = FoundTopic(
            name=name, partitions=partitions.get(name), replication_factor=factors.get(name), configs=values
        )
        yield from internal_topic_findings(client, topics[name], found)


def _factors(admin: ClusterAdmin, names: Sequence[str]) -> Mapping[str, int]:
    """Return the replication factors; none where a right is missing, which the preflight reports by itself."""
    try:
        described = admin.describe_topics(names)
    except AuthorizationError:
        return {}
    return {name: topic.replication_factor for name, topic in described.items()}
