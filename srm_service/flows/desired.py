"""Builds the desired document of a target cluster from the database."""

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from typing import get_args

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
from replication.domain.names.replication_policy import PolicyKind
from replication.domain.settings.choices import Delivery, GapPolicy
from srm_service.clusters.contracts import ClusterAccess
from srm_service.clusters.selectors import cluster_access
from srm_service.core.choices import word_of
from srm_service.flows.models import Flow, FlowReset, ResetState
from srm_service.flows.reset_position import parse_position
from srm_service.flows.selectors import epoch_ms

_STATES: tuple[FlowState, ...] = get_args(FlowState)
_DELIVERIES: tuple[Delivery, ...] = get_args(Delivery)
_POLICIES: tuple[PolicyKind, ...] = get_args(PolicyKind)
_GAP_POLICIES: tuple[GapPolicy, ...] = get_args(GapPolicy)


def desired_document(target: str, *, published_ms: int) -> tuple[DesiredDocument, str]:
    """Build the document without a revision, and a fingerprint of its content and secrets. Four queries.

    A flow is skipped when the secrets of one of its clusters cannot be decrypted.
    """
    wanted = Flow.objects.select_related("source", "target").prefetch_related("holds", "resets")
    flows = list(wanted.filter(target__alias=target))
    access = cluster_access({target, *(flow.source.alias for flow in flows)})
    usable = [flow for flow in flows if flow.source.alias in access] if target in access else []
    document = DesiredDocument(
        target=target,
        revision=0,
        published_ms=published_ms,
        clusters={alias: _cluster(cluster) for alias, cluster in access.items()},
        flows=tuple(_flow(flow) for flow in usable),
    )
    return document, _fingerprint(document, access)


def _cluster(access: ClusterAccess) -> DesiredCluster:
    secret = seal(settings.SRM_TRANSPORT_KEYS, access.secrets) if access.secrets else None
    return DesiredCluster(bootstrap=access.bootstrap, client=access.client, secret=secret)


def _flow(flow: Flow) -> DesiredFlow:
    paused = flow.state == "pause"
    return DesiredFlow(
        source=flow.source.alias,
        enabled=flow.enabled,
        heartbeats=flow.heartbeats,
        state=word_of(flow.state, _STATES),
        pause=Pause(reason=flow.pause_reason, by=flow.pause_by, until_ms=epoch_ms(flow.pause_until))
        if paused
        else None,
        generation=flow.generation,
        tasks_max=flow.tasks_max,
        delivery=word_of(flow.delivery, _DELIVERIES),
        policy=PolicyChoice(
            kind=word_of(flow.policy_kind, _POLICIES),
            separator=flow.policy_separator,
            template=flow.policy_template or None,
        ),
        topics=NamePatterns(allow=tuple(flow.topics_allow), deny=tuple(flow.topics_deny)),
        groups=NamePatterns(allow=tuple(flow.groups_allow), deny=tuple(flow.groups_deny)),
        start=flow.start,
        gap_policy=word_of(flow.gap_policy, _GAP_POLICIES),
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


def _fingerprint(document: DesiredDocument, access: Mapping[str, ClusterAccess]) -> str:
    """Hash the content and the secrets; sealed secrets differ each time, so the plain ones go into a keyed hash."""
    secrets = json.dumps({alias: cluster.secrets for alias, cluster in sorted(access.items())}, sort_keys=True)
    key = settings.SECRET_KEY.encode()
    return hmac.new(key, f"{content_sha256(document)}\0{secrets}".encode(), hashlib.sha256).hexdigest()
