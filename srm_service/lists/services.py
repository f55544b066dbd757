"""Changes of lists: written to the control topic, read back, stored, and published to the drivers."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict

import structlog
from django.db import transaction

from replication.domain.desired.name_lists import ListChange, NameLists
from replication.domain.errors import ClusterUnreachableError, ConfigurationError, ReplicationError
from replication.domain.names.internal_topics import CONTROL
from replication.domain.plan.slot import ClusterClient
from replication.lists.control_topic import ControlTopics, ControlTopicState
from srm_service.clusters.selectors import cluster_access
from srm_service.core.clock import now_ms
from srm_service.flows.publishing import publish_quietly
from srm_service.flows.selectors import flow_ids_into, flow_internal_topic_factor
from srm_service.lists.contracts import FlowLists
from srm_service.lists.models import ControlTopicRead, ListedPattern
from srm_service.lists.selectors import lists_into, lists_of
from srm_service.trail.contracts import flow_subject
from srm_service.trail.services import record
from srm_service.wiring import control_topics

_log = structlog.get_logger(__name__)
_GONE = (
    "the control topic {topic} no longer exists on {target}; the lists as last read stay in force, and the next "
    "change writes them again"
)


class ListsUnavailableError(Exception):
    """The target cluster does not take or show the lists; the text has the cause and the remedy."""


def lists_change(*, source: str, target: str, changes: Sequence[ListChange], by: str) -> FlowLists:
    """Write the changes to the control topic, read it back, and publish. Raises ListsUnavailableError.

    Patterns that the topic lists already are not written. A topic that was deleted is written again with all its
    patterns.
    """
    try:
        with closing(control_topics(_client(target))) as topics:
            known = lists_of(source, target)
            lost = _lost(known, topics.states([source]).get(source))
            written = (*lost, *topics.read(source).lacking(changes))
            if written:
                factor = flow_internal_topic_factor(source, target)
                topics.write(source, written, by=by, replication_factor=factor)
                _record(source, target, changes, by)
            lists_follow(target, topics, only=source)
    except ReplicationError as error:
        raise ListsUnavailableError(error.text) from error
    return lists_of(source, target)


def lists_follow(target: str, topics: ControlTopics, *, only: str | None = None) -> bool:
    """Read the control topics of a target that changed, store and publish them; returns True after a change.

    Raises `replication.domain.errors`.
    """
    flows = {source: pk for source, pk in flow_ids_into(target).items() if only in (None, source)}
    known = lists_into(target)
    states = topics.states(flows) if flows else {}
    has_changed = False
    for source, flow_id in flows.items():
        before, state = known.get(source, FlowLists()), states.get(source)
        if state is None:
            problem = _GONE.format(topic=CONTROL.name(source), target=target) if before.topic_id else ""
            _note(flow_id, problem, before)
        elif (before.topic_id, before.end_offset) != (state.topic_id, state.end_offset):
            has_changed |= _read(flow_id, source, topics, state, before)
        elif before.problem is not None:
            _note(flow_id, "", before)
    if has_changed:
        publish_quietly([target])
    return has_changed


def lists_unreadable(target: str, error: str) -> None:
    """Note that the control topics of a target cannot be read now; the lists as last read stay in force."""
    known = lists_into(target)
    for source, flow_id in flow_ids_into(target).items():
        _note(flow_id, error, known.get(source, FlowLists()))


def _record(source: str, target: str, changes: Sequence[ListChange], by: str) -> None:
    added = [asdict(change.place) for change in changes if change.is_listed]
    removed = [asdict(change.place) for change in changes if not change.is_listed]
    after = {"added": added, "removed": removed}
    record(by=by, action="flow.change_lists", subject=flow_subject(source, target), after=after)


def _client(target: str) -> ClusterClient:
    access = cluster_access([target]).get(target)
    if access is None:
        raise ConfigurationError(
            f"the secrets of cluster {target} cannot be decrypted: add the key that encrypted them to SRM_SECRET_KEYS"
        )
    return ClusterClient(alias=target, bootstrap=access.bootstrap, client={**access.client, **access.secrets})


def _read(flow_id: int, source: str, topics: ControlTopics, state: ControlTopicState, before: FlowLists) -> bool:
    """One topic that cannot be read, for example for want of a right, stops no other."""
    try:
        return _store(flow_id, topics.read(source), state)
    except ClusterUnreachableError:
        raise
    except ReplicationError as error:
        _note(flow_id, error.text, before)
        return False


def _lost(known: FlowLists, state: ControlTopicState | None) -> tuple[ListChange, ...]:
    if state is not None:
        return ()
    return tuple(ListChange(place=entry.place, is_listed=True) for entry in known.lists.entries)


def _note(flow_id: int, problem: str, before: FlowLists) -> None:
    if (before.problem or "") != problem:
        ControlTopicRead.objects.update_or_create(flow_id=flow_id, defaults={"problem": problem})
        if problem:
            _log.warning("lists cannot be read", flow=flow_id, error=problem)


def _store(flow_id: int, lists: NameLists, state: ControlTopicState) -> bool:
    """Replace the stored lists, unless a later state of the same topic is stored already."""
    with transaction.atomic():
        row, _ = ControlTopicRead.objects.select_for_update().get_or_create(flow_id=flow_id)
        if row.topic_id == state.topic_id and (row.control_offset or -1) > (lists.offset or -1):
            return False
        row.topic_id, row.end_offset, row.control_offset = state.topic_id, state.end_offset, lists.offset
        row.unreadable = [{"offset": each.offset, "error": each.error} for each in lists.unreadable]
        row.problem, row.read_ms = "", now_ms()
        row.save()
        row.patterns.all().delete()
        ListedPattern.objects.bulk_create(_rows(row, lists))
    return True


def _rows(row: ControlTopicRead, lists: NameLists) -> list[ListedPattern]:
    return [
        ListedPattern(
            topic=row,
            kind=entry.place.kind,
            side=entry.place.side,
            pattern=entry.place.pattern,
            offset=entry.offset,
            written_ms=entry.written_ms,
            written_by=entry.by[:150],
            problem=entry.problem or "",
        )
        for entry in lists.entries
    ]
