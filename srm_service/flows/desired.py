"""Builds the desired document of a target cluster from the database."""

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar, get_args

from django.conf import settings

from replication.config.security.secrets import seal
from replication.domain.desired.desired_document import (
    ConnectorSettings,
    DesiredCluster,
    DesiredDocument,
    DesiredFlow,
    Hold,
    NamePatterns,
    Pause,
    PolicyChoice,
    Reset,
    content_sha256,
)
from replication.domain.desired.desired_flow import FlowState
from replication.domain.desired.name_lists import NameLists, joined
from replication.domain.names.replication_policy import PolicyKind
from replication.domain.settings.choices import Delivery, GapPolicy
from srm_service.clusters.contracts import ClusterAccess
from srm_service.clusters.selectors import cluster_access
from srm_service.flows.models import Flow, FlowReset, ResetState
from srm_service.flows.reset_position import parse_position
from srm_service.flows.selectors import epoch_ms
from srm_service.lists.contracts import FlowLists
from srm_service.lists.selectors import lists_into

_STATES: tuple[FlowState, ...] = get_args(FlowState)
_DELIVERIES: tuple[Delivery, ...] = get_args(Delivery)
_POLICIES: tuple[PolicyKind, ...] = get_args(PolicyKind)
_GAP_POLICIES: tuple[GapPolicy, ...] = get_args(GapPolicy)
_Word = TypeVar("_Word", bound=str)


def desired_document(target: str, *, published_ms: int) -> tuple[DesiredDocument, str]:
    """Build the document without a revision, and a fingerprint of its content and secrets. Six queries.

    A flow is skipped when the secrets of one of its clusters cannot be decrypted.
    """
    wanted = Flow.objects.select_related("source", "target").prefetch_related("holds", "resets")
    flows = list(wanted.filter(target__alias=target))
    access = cluster_access({target, *(flow.source.alias for flow in flows)})
    lists = lists_into(target)
    usable = [flow for flow in flows if flow.source.alias in access] if target in access else []
    document = DesiredDocument(
        target=target,
        revision=0,
        published_ms=published_ms,
        clusters={alias: _cluster(cluster) for alias, cluster in access.items()},
        flows=tuple(_flow(flow, lists.get(flow.source.alias, FlowLists()).lists) for flow in usable),
    )
    return document, _fingerprint(document, access)


def _cluster(access: ClusterAccess) -> DesiredCluster:
    secret = seal(settings.SRM_TRANSPORT_KEYS, access.secrets) if access.secrets else None
    return DesiredCluster(bootstrap=access.bootstrap, client=access.client, secret=secret)


def _flow(flow: Flow, lists: NameLists) -> DesiredFlow:
    paused = flow.state == "pause"
    return DesiredFlow(
        source=flow.source.alias,
        enabled=flow.enabled,
        heartbeats=flow.heartbeats,
        state=_one_of(flow.state, _STATES),
        pause=Pause(reason=flow.pause_reason, by=flow.pause_by, until_ms=epoch_ms(flow.pause_until))
        if paused
        else None,
        generation=flow.generation,
        tasks_max=flow.tasks_max,
        delivery=_one_of(flow.delivery, _DELIVERIES),
        policy=PolicyChoice(
            kind=_one_of(flow.policy_kind, _POLICIES),
            separator=flow.policy_separator,
            template=flow.policy_template or None,
        ),
        topics=joined(
            NamePatterns(allow=tuple(flow.topics_allow), deny=tuple(flow.topics_deny)), lists.patterns("topics")
        ),
        groups=joined(
            NamePatterns(allow=tuple(flow.groups_allow), deny=tuple(flow.groups_deny)), lists.patterns("groups")
        ),
        control_offset=lists.offset,
        start=flow.start,
        gap_policy=_one_of(flow.gap_policy, _GAP_POLICIES),
        throttle_bytes_per_second=flow.throttle_bytes_per_second,
        holds=tuple(
            Hold(topic=hold.topic, partition=hold.partition, until_ms=epoch_ms(hold.until), reason=hold.reason)
            for hold in flow.holds.all()
        ),
        resets=_resets(flow.resets.all()),
        connectors=ConnectorSettings(
            source=flow.connectors.get("source", {}),
            checkpoint=flow.connectors.get("checkpoint", {}),
            heartbeat=flow.connectors.get("heartbeat", {}),
        ),
    )


def _resets(rows: Iterable[FlowReset]) -> tuple[Reset, ...]:
    """The newest reset of each partition; drivers remember a limited number of ids, so old resets are dropped."""
    newest = {(row.topic, row.partition): row for row in sorted(rows, key=lambda row: row.pk)}
    return tuple(
        Reset(id=row.key, topic=row.topic, partition=row.partition, to=parse_position(row.to))
        for row in newest.values()
        if row.state != ResetState.OVERTAKEN
    )


def _one_of(value: str, words: Sequence[_Word]) -> _Word:
    """Narrow the type of a column's value; database constraints allow no other values."""
    return next(word for word in words if word == value)


def _fingerprint(document: DesiredDocument, access: Mapping[str, ClusterAccess]) -> str:
    """Hash the content and the secrets; sealed secrets differ each time, so the plain ones go into a keyed hash."""
    secrets = json.dumps({alias: cluster.secrets for alias, cluster in sorted(access.items())}, sort_keys=True)
    key = settings.SECRET_KEY.encode()
    return hmac.new(key, f"{content_sha256(document)}\0{secrets}".encode(), hashlib.sha256).hexdigest()
