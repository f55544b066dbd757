"""The configs and ACLs that a flow would change on its remote topics."""

from collections.abc import Sequence

from replication.connectors.plan.source_settings import SourceSettings
from replication.connectors.questions.flow_request import FlowRequest
from replication.domain.plan.acl import TopicAcl, diff_acls, wanted_acls
from replication.domain.plan.topic_config import ConfigChange, configs_to_copy, diff_configs
from replication.domain.plan.topic_plan import WantedTopic
from replication.domain.questions.flow_changes import AclEdit, RemoteConfigEdit
from replication.domain.questions.topic_changes import acl_edits, config_edits


def changed_configs(
    request: FlowRequest, settings: SourceSettings, existing: Sequence[WantedTopic]
) -> tuple[RemoteConfigEdit, ...]:
    """`existing` have a remote topic. Raises the errors of ClusterAdmin and RecordLog."""
    if not settings.syncs_configs or not existing:
        return ()
    upstream = request.source.topic_configs([topic.upstream for topic in existing])
    remote = request.target.topic_configs([topic.remote for topic in existing])
    changes: list[ConfigChange] = []
    for topic in existing:
        if topic.upstream in upstream and topic.remote in remote:
            wanted = configs_to_copy(upstream[topic.upstream].values(), settings.config_rules)
            owned = request.ledger.of(topic.remote).configs
            change = diff_configs(topic.remote, wanted, remote[topic.remote], owned)
            changes += [] if change is None else [change]
    return config_edits(changes, remote)


def changed_acls(request: FlowRequest, settings: SourceSettings, wanted: Sequence[WantedTopic]) -> tuple[AclEdit, ...]:
    """Raises the errors of ClusterAdmin and RecordLog; AuthorizationError without the right to list ACLs."""
    if not settings.syncs_acls or not wanted:
        return ()
    upstream = request.source.topic_acls()
    owned = frozenset(
        TopicAcl(topic=topic.remote, entry=entry) for topic in wanted for entry in request.ledger.of(topic.remote).acls
    )
    if not upstream and not owned:
        return ()
    actual = frozenset(request.target.topic_acls())
    bindings = wanted_acls(upstream, {topic.upstream: topic.remote for topic in wanted})
    return acl_edits(diff_acls(bindings, actual, owned, prune=settings.prunes_acls))
