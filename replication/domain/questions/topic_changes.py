"""The differences that a draft makes to a flow's topics, their configs and ACLs, over values that were read before."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from replication.domain.identifiers import FlowId
from replication.domain.names.replication_policy import ReplicationPolicy
from replication.domain.plan.acl import AclSteps, TopicAcl
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.topic_config import ConfigChange, ConfigValue
from replication.domain.plan.topic_plan import AddPartitions, CreateTopic, WantedTopic, diff_topics
from replication.domain.questions.flow_changes import (
    AclEdit,
    CreatedTopic,
    Estimate,
    FlowChanges,
    RemoteConfigEdit,
    RenamedTopic,
    TakenName,
    WidenedTopic,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicChanges:
    """The topics of a flow before and after."""

    created: tuple[CreatedTopic, ...]
    widened: tuple[WidenedTopic, ...]
    added: tuple[WantedTopic, ...]
    removed: tuple[str, ...]
    renamed: tuple[RenamedTopic, ...]

    @property
    def added_names(self) -> tuple[str, ...]:
        return tuple(topic.upstream for topic in self.added)


def remote_names(plan: PlanDocument | None) -> Mapping[str, str]:
    """Return the remote topic of each topic that a plan copies."""
    return {} if plan is None else {topic.upstream: topic.remote for topic in plan.topics}


def ended_flow(flow: FlowId, plan: PlanDocument | None) -> FlowChanges:
    """Return the change plan of a flow that is removed or disabled: its remote topics stay as they are."""
    return FlowChanges(
        source=flow.source,
        target=flow.target,
        topics_created=(),
        topics_widened=(),
        topics_added=(),
        topics_removed=tuple(sorted(remote_names(plan))),
        topics_renamed=(),
        names_taken=(),
        configs=(),
        acls=(),
        estimate=Estimate(partitions=0, records=0, bytes=0),
    )


def topic_changes(
    before: Mapping[str, str], wanted: Sequence[WantedTopic], target_topics: Mapping[str, int]
) -> TopicChanges:
    """`before` maps the topics copied now to their remote topics; `target_topics` has the target's partitions."""
    steps = diff_topics(wanted, target_topics)
    after = {topic.upstream for topic in wanted}
    return TopicChanges(
        created=tuple(
            CreatedTopic(name=step.topic.remote, partitions=step.topic.partitions, upstream=step.topic.upstream)
            for step in steps
            if isinstance(step, CreateTopic)
        ),
        widened=tuple(
            WidenedTopic(name=step.remote, before=target_topics[step.remote], after=step.count)
            for step in steps
            if isinstance(step, AddPartitions)
        ),
        added=tuple(topic for topic in wanted if topic.upstream not in before),
        removed=tuple(sorted(name for name in before if name not in after)),
        renamed=tuple(
            RenamedTopic(upstream=topic.upstream, before=before[topic.upstream], after=topic.remote)
            for topic in wanted
            if before.get(topic.upstream, topic.remote) != topic.remote
        ),
    )


def taken_names(
    wanted: Iterable[WantedTopic],
    before: Mapping[str, str],
    target_topics: Collection[str],
    copied_by: Mapping[str, str],
) -> tuple[TakenName, ...]:
    """Return the remote names that are not this flow's yet and exist; `copied_by` names the flow of a remote topic."""
    return tuple(
        TakenName(upstream=topic.upstream, remote=topic.remote, taken_by=copied_by.get(topic.remote))
        for topic in wanted
        if before.get(topic.upstream) != topic.remote and (topic.remote in copied_by or topic.remote in target_topics)
    )


def copied_by_others(others: Iterable[PlanDocument]) -> dict[str, str]:
    """Return the flow that copies each remote topic, by the plans of the other flows into the target."""
    return {topic.remote: f"{plan.source}->{plan.target}" for plan in others for topic in plan.topics}


def second_copies(
    policy: ReplicationPolicy, topics: Iterable[str], others: Iterable[PlanDocument]
) -> dict[str, tuple[str, ...]]:
    """Return the flows that bring a topic to the target directly although it is a copy on the source.

    `policy` tells of which cluster a topic is a copy.
    """
    direct = {(plan.source, topic.upstream): str(plan.target) for plan in others for topic in plan.topics}
    found: dict[str, tuple[str, ...]] = {}
    for name in topics:
        origin, upstream = policy.topic_source(name), policy.upstream_topic(name)
        if origin is not None and upstream is not None and (origin, upstream) in direct:
            found[name] = (f"{origin}->{direct[origin, upstream]}",)
    return found


def config_edits(
    changes: Iterable[ConfigChange], actual: Mapping[str, Mapping[str, ConfigValue]]
) -> tuple[RemoteConfigEdit, ...]:
    """`actual` are the configs of the remote topics by topic and key."""
    edits: list[RemoteConfigEdit] = []
    for change in changes:
        present = {key: config.value for key, config in actual.get(change.topic, {}).items()}
        edits += [
            RemoteConfigEdit(topic=change.topic, key=key, before=present.get(key), after=value)
            for key, value in sorted(change.set.items())
        ]
        edits += [
            RemoteConfigEdit(topic=change.topic, key=key, before=present.get(key), after=None) for key in change.delete
        ]
    return tuple(edits)


def acl_edits(steps: AclSteps) -> tuple[AclEdit, ...]:
    return (
        *(_acl_edit(acl, is_deleted=False) for acl in steps.create),
        *(_acl_edit(acl, is_deleted=True) for acl in steps.delete),
    )


def _acl_edit(acl: TopicAcl, *, is_deleted: bool) -> AclEdit:
    return AclEdit(
        topic=acl.topic,
        principal=acl.entry.principal,
        host=acl.entry.host,
        operation=acl.entry.operation,
        permission=acl.entry.permission,
        is_deleted=is_deleted,
    )
