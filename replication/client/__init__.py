"""Reads what replication flows tell on a cluster, for programs of other people: topics, checkpoints, offsets.

Read only. The guide is docs/client.md.
"""

from replication.client.connecting import connect
from replication.client.consumer_position import assign_at, commit_at
from replication.client.replication_client import ReplicationClient
from replication.client.translated_offset import GroupCheckpoint, TranslatedOffset
from replication.domain.errors import ReplicationError
from replication.domain.groups.translation import LogRange, Translation
from replication.domain.identifiers import TopicPartition
from replication.domain.names.replication_policy import (
    DefaultPolicy,
    IdentityPolicy,
    ReplicationPolicy,
    TemplatePolicy,
)

__all__ = [
    "DefaultPolicy",
    "GroupCheckpoint",
    "IdentityPolicy",
    "LogRange",
    "ReplicationClient",
    "ReplicationError",
    "ReplicationPolicy",
    "TemplatePolicy",
    "TopicPartition",
    "TranslatedOffset",
    "Translation",
    "assign_at",
    "commit_at",
    "connect",
]
