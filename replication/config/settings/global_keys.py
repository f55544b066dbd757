"""The keys that work without a prefix in the replication manager's own files: two lists of its documentation, as data.

Other keys need `workers.`, `connectors.`, a cluster's alias or a flow. The lists are data and not derived from the
registry of settings: they belong to one dialect of files, no property of a setting predicts them, they cut through
settings that are declared together, and the families also cover keys that are no settings.
"""

GLOBAL_CONNECTOR_KEYS = frozenset(
    [
        "errors.retry.timeout",
        "errors.retry.delay.max.ms",
        "errors.tolerance",
        "errors.log.enable",
        "errors.log.include.messages",
        "config.properties.exclude",
        "config.properties.blacklist",
        "config.property.filter.class",
        "consumer.poll.timeout.ms",
        "admin.timeout.ms",
        "refresh.topics.enabled",
        "refresh.groups.enabled",
        "sync.topic.configs.enabled",
        "sync.topic.acls.enabled",
        "emit.heartbeats.interval.seconds",
        "emit.checkpoints.interval.seconds",
        "sync.group.offsets.enabled",
        "sync.group.offsets.interval.seconds",
        "replication.policy.class",
        "replication.policy.separator",
        "heartbeats.topic.replication.factor",
        "checkpoints.topic.replication.factor",
        "offset-syncs.topic.replication.factor",
        "offset.lag.max",
        "offset-syncs.topic.location",
        "connect.start.task.timeout.ms",
        "disable.source.topic.auto.creation",
        "copy.source.offset.in.header.enabled",
    ]
)
GLOBAL_WORKER_FAMILIES = (
    "offset.storage",
    "config.storage",
    "status.storage",
    "key.converter",
    "value.converter",
    "header.converter",
    "task",
    "worker",
    "listeners.https",
)
# fields of the manager's page, which the manager writes without a prefix
MANAGER_FIELDS = frozenset(
    [
        "clusters",
        "tasks.max",
        "topics",
        "topics.exclude",
        "groups",
        "groups.exclude",
        "replication.factor",
        "refresh.topics.interval.seconds",
        "refresh.groups.interval.seconds",
        "sync.topic.configs.interval.seconds",
        "sync.topic.acls.interval.seconds",
        "emit.heartbeats.enabled",
        "emit.checkpoints.enabled",
        "emit.offset-syncs.enabled",
        "metrics.period",
        "mm.rest.protocol",
    ]
)


def works_globally(name: str) -> bool:
    """Return whether a key works without a prefix; our own `srm.` keys work everywhere."""
    is_worker = any(name == family or name.startswith(f"{family}.") for family in GLOBAL_WORKER_FAMILIES)
    is_listed = name in GLOBAL_CONNECTOR_KEYS or name in MANAGER_FIELDS or is_worker
    return is_listed or name.startswith(("srm.", "streams.replication.manager.", "config.providers", "transforms"))
