"""The topics that a flow would create on its target, and those of them that the target would refuse."""

from collections.abc import Collection, Sequence

from replication.config.flows.policies import internal_separator
from replication.connectors.plan.source_settings import SourceSettings, clamped
from replication.connectors.questions.flow_request import FlowRequest
from replication.connectors.topics import internal_topics
from replication.domain.groups.checkpoint_settings import CheckpointSettings
from replication.domain.names.internal_topics import (
    CHECKPOINTS,
    OFFSET_SYNCS,
    checkpoints_topic,
    offset_syncs_topic,
)
from replication.domain.plan.preflight import PreflightFinding
from replication.domain.plan.rights import REMOTE_TOPIC_OPERATIONS, Right, grant_commands
from replication.domain.plan.topic_config import configs_to_copy
from replication.domain.plan.topic_plan import WantedTopic
from replication.domain.questions.flow_changes import CreatedTopic
from replication.domain.settings.registry.topic_filters import TOPICS_EXCLUDE
from replication.ports.admin import ClusterAdmin, NewTopic, Refused


def missing_internal_topics(
    request: FlowRequest, settings: SourceSettings, target_topics: Collection[str]
) -> tuple[CreatedTopic, ...]:
    """Return the internal topics that the flow would create on its target. Raises the errors of ClusterAdmin."""
    source, brokers = request.id.source, request.target.describe_cluster().brokers
    needed = [
        *internal_topics.target_topics(source, settings, brokers),
        *internal_topics.optional_target_topics(source, settings, brokers),
    ]
    separator = internal_separator(request.flow.policy, request.flow.connectors.source)
    if CheckpointSettings.of(request.flow).is_on:
        name = checkpoints_topic(request.id, separator=separator)
        needed.append(internal_topics.new_topic(CHECKPOINTS, settings, brokers, name=name))
    if settings.writes_offset_syncs and settings.offset_syncs_on_target:
        name = offset_syncs_topic(request.id, separator=separator, on_target=True)
        needed.append(internal_topics.new_topic(OFFSET_SYNCS, settings, brokers, name=name))
    return tuple(
        CreatedTopic(name=topic.name, partitions=topic.partitions, upstream=None)
        for topic in needed
        if topic.name not in target_topics
    )


def refused_topics(
    request: FlowRequest, settings: SourceSettings, new: Sequence[WantedTopic]
) -> tuple[PreflightFinding, ...]:
    """Return an error for each topic that the target would refuse to create. Raises the errors of ClusterAdmin."""
    if not new:
        return ()
    brokers = request.target.describe_cluster().brokers
    configs = request.source.topic_configs([topic.upstream for topic in new])
    refused = request.target.check_new_topics(
        [
            NewTopic(
                name=topic.remote,
                partitions=topic.partitions,
                replication_factor=clamped(settings.factors.remote_topics, brokers),
                configs=configs_to_copy(configs.get(topic.upstream, {}).values(), settings.config_rules),
            )
            for topic in new
        ]
    )
    upstream_of = {topic.remote: topic.upstream for topic in new}
    return tuple(_refusal(request.target, each, upstream_of[each.topic]) for each in refused)


def _refusal(target: ClusterAdmin, refused: Refused, upstream: str) -> PreflightFinding:
    is_right = "AUTHORIZATION" in refused.code
    operations = ("create", *REMOTE_TOPIC_OPERATIONS)
    rights = [Right(kind="topic", name=refused.topic, operation=operation) for operation in operations]
    commands = " && ".join(grant_commands(target.servers, target.principal, rights))
    return PreflightFinding(
        severity="error",
        code="rights_missing" if is_right else "topic_refused",
        text=f"cluster {target.alias} would refuse to create {refused.topic}: {refused.text} ({refused.code})",
        remedy=f"create the topic, or grant the rights: {commands}"
        if is_right
        else f"create the topic on {target.alias}, or exclude {upstream} by {TOPICS_EXCLUDE}",
        topic=upstream,
        cluster=target.alias,
    )
