"""Builds the desired document of a target cluster from the database."""

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, get_args

import structlog
from django.conf import settings
from django.db.models import Prefetch

from replication.config.files.providers import ProviderError, resolve
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
from replication.domain.desired.desired_flow import FlowState, RestartOrder, Stop, TopicThrottle
from replication.domain.desired.name_lists import NameLists, joined
from replication.domain.names.replication_policy import PolicyKind
from replication.domain.settings.choices import Delivery, GapPolicy
from srm_service.clusters.contracts import ClusterAccess
from srm_service.clusters.selectors import cluster_access
from srm_service.flows.control.outcomes import restarts_waiting
from srm_service.flows.models import Flow, FlowAction, FlowReset, ResetState, TopicOrderRow
from srm_service.flows.reset_position import parse_position
from srm_service.flows.selectors import epoch_ms
from srm_service.lists.contracts import FlowLists
from srm_service.lists.selectors import lists_into

_STATES: tuple[FlowState, ...] = get_args(FlowState)
_DELIVERIES: tuple[Delivery, ...] = get_args(Delivery)
_POLICIES: tuple[PolicyKind, ...] = get_args(PolicyKind)
_GAP_POLICIES: tuple[GapPolicy, ...] = get_args(GapPolicy)
_Word = TypeVar("_Word", bound=str)
_log = structlog.get_logger(__name__)


def desired_document(
    target: str, *, published_ms: int, published: DesiredDocument | None = None
) -> tuple[DesiredDocument, str]:
    """Build the document without a revision, and a fingerprint of its content and secrets. Nine queries.

    A cluster or flow whose values cannot be used, such as a reference that leads nowhere, is taken from the published
    document: it continues with the settings that drivers have. Without one, it is skipped.
    """
    restarts = Prefetch("actions", FlowAction.objects.filter(restarts_waiting()).order_by("pk"), to_attr="restarts")
    rows = "topic_throttles", "holds", "stops", "resets", restarts
    wanted = Flow.objects.select_related("source", "target").prefetch_related(*rows)
    flows = list(wanted.filter(target__alias=target))
    names = {target, *(flow.source.alias for flow in flows)}
    access = cluster_access(names)
    before = published.clusters if published else {}
    clusters = {alias: cluster for alias, cluster in before.items() if alias in names}
    clusters |= {alias: _cluster(cluster) for alias, cluster in access.items()}
    known = {flow.source: flow for flow in published.flows} if published else {}
    usable = [flow for flow in flows if flow.source.alias in clusters] if target in clusters else []
    lists = lists_into(target)
    found = (
        _current_or_known(flow, lists.get(flow.source.alias, FlowLists()).lists, known.get(flow.source.alias))
        for flow in usable
    )
    document = DesiredDocument(
        target=target,
        revision=0,
        published_ms=published_ms,
        clusters=clusters,
        flows=tuple(flow for flow in found if flow is not None),
    )
    return document, _fingerprint(document, access)


def _current_or_known(flow: Flow, lists: NameLists, known: DesiredFlow | None) -> DesiredFlow | None:
    """Return the flow with what operators ask of it; of one that cannot be derived, the known settings."""
    problem = flow.problem
    if not problem:
        try:
            return _flow(flow, lists)
        except ProviderError as error:
            problem = str(error)
    _log.error("flow keeps its published settings", flow=f"{flow.source.alias}->{flow.target.alias}", error=problem)
    return None if known is None else replace(known, **_orders(flow))


def _cluster(access: ClusterAccess) -> DesiredCluster:
    secret = seal(settings.SRM_TRANSPORT_KEYS, access.secrets) if access.secrets else None
    return DesiredCluster(bootstrap=access.bootstrap, client=access.client, secret=secret)


def _flow(flow: Flow, lists: NameLists) -> DesiredFlow:
    """Raises ProviderError."""
    return DesiredFlow(
        source=flow.source.alias,
        enabled=flow.enabled,
        heartbeats=flow.heartbeats,
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
        reverse_topics=lists.patterns("reverse-checkpointed-topics"),
        control_offset=lists.offset,
        start=flow.start,
        gap_policy=_one_of(flow.gap_policy, _GAP_POLICIES),
        connectors=ConnectorSettings(
            source=_resolved(flow.connectors.get("source", {})),
            checkpoint=_resolved(flow.connectors.get("checkpoint", {})),
            heartbeat=_resolved(flow.connectors.get("heartbeat", {})),
        ),
        **_orders(flow),
    )


def _orders(flow: Flow) -> dict[str, Any]:
    """Return the fields that operators own."""
    halted = flow.state != "run"
    return {
        "state": _one_of(flow.state, _STATES),
        "pause": Pause(reason=flow.pause_reason, by=flow.pause_by, until_ms=epoch_ms(flow.pause_until))
        if halted
        else None,
        "generation": flow.generation,
        "throttle_bytes_per_second": flow.throttle_bytes_per_second,
        "throttle_until_ms": epoch_ms(flow.throttle_until),
        "topic_throttles": tuple(
            TopicThrottle(**_topic_order(row), bytes_per_second=row.bytes_per_second)
            for row in flow.topic_throttles.all()
        ),
        "stops": tuple(Stop(**_topic_order(stop)) for stop in flow.stops.all()),
        "restarts": tuple(
            RestartOrder(id=row.key, task=row.task, topic=row.topic or None, partition=row.partition)
            for row in getattr(flow, "restarts", ())
        ),
        "holds": tuple(Hold(**_topic_order(hold)) for hold in flow.holds.all()),
        "resets": _resets(flow.resets.all()),
    }


def _topic_order(row: TopicOrderRow) -> dict[str, Any]:
    """The fields that all orders for a topic or partition have."""
    return {"topic": row.topic, "partition": row.partition, "until_ms": epoch_ms(row.until), "reason": row.reason}


def _resolved(settings: Mapping[str, str]) -> dict[str, str]:
    return {name: resolve(value) for name, value in settings.items()}


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
