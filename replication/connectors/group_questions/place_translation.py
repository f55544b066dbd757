"""Answers `translate`: any place of a copied partition, by offset or by time, in both directions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from replication.connectors.group_questions.group_inspection import GroupInspection
from replication.connectors.group_questions.group_ports import GroupPorts
from replication.connectors.questions.flow_request import FlowRequest
from replication.domain.errors import ReplicationError
from replication.domain.groups.copy_account import BEHIND
from replication.domain.groups.translation import Translation
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.questions.groups import PlaceToTranslate, TranslatedPlace, Translations
from replication.ports.admin import ClusterAdmin
from replication.tasks.groups.group_round import RoundView

_NOT_COPIED = "the flow does not copy this partition"
_NO_OFFSET = "give an offset or a time"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPlace:
    """A wanted place with the partitions on both sides."""

    wanted: PlaceToTranslate
    upstream: TopicPartition
    remote: TopicPartition


def translate_places(
    request: FlowRequest, plan: PlanDocument, ports: GroupPorts, wanted: Sequence[PlaceToTranslate], now_ms: int
) -> Translations:
    """Return the places in their order. Raises the target's errors, and those of invalid settings."""
    inspection = GroupInspection(request, plan, ports, now_ms)
    places = [found_place(inspection, each) for each in wanted]
    inspection.read_account()
    view = inspection.view({each.upstream for each in places if each is not None})
    work = PlaceTranslation(request, inspection, view)
    items = tuple(
        _impossible(each, _NOT_COPIED) if place is None else work.translated(place)
        for each, place in zip(wanted, places, strict=True)
    )
    return Translations(source=request.id.source, target=request.id.target, items=items, unlooked=inspection.unlooked)


class PlaceTranslation:
    """Translates the places of one question. Blocking."""

    def __init__(self, request: FlowRequest, inspection: GroupInspection, view: RoundView) -> None:
        self._request = request
        self._inspection = inspection
        self._view = view

    def translated(self, place: FoundPlace) -> TranslatedPlace:
        """Return the place on the other side, with the evidence in words; an error fails no other item."""
        try:
            return self._translated(place)
        except ReplicationError as error:
            return _impossible(place.wanted, error.text, place)

    def _translated(self, place: FoundPlace) -> TranslatedPlace:
        given, how = place.wanted.offset, ""
        if given is None and place.wanted.timestamp_ms is None:
            return _impossible(place.wanted, _NO_OFFSET, place)
        if given is None:
            if place.wanted.direction == "to_target" and not self._inspection.is_source_reachable:
                return self._by_time_of_target(place)
            given, how = self._offset_of_time(place)
        found = self._translation(place, given)
        evidence = "; ".join(part for part in (how, found.text, *self._evidence(place, given, found)) if part)
        return _answer(place, found, evidence, given)

    def _offset_of_time(self, place: FoundPlace) -> tuple[int, str]:
        time_ms = place.wanted.timestamp_ms or 0
        if place.wanted.direction == "to_target":
            return _offset_at(self._request.source, place.upstream, time_ms)
        return _offset_at(self._request.target, place.remote, time_ms)

    def _translation(self, place: FoundPlace, offset: int) -> Translation:
        view, upstream, remote = self._view, place.upstream, place.remote
        if place.wanted.direction == "to_source":
            return view.translate_back(upstream, remote, offset)
        return view.translate(upstream, remote, offset)

    def _evidence(self, place: FoundPlace, given: int, found: Translation) -> Iterator[str]:
        source, target = self._request.id.source, self._request.id.target
        to_target = place.wanted.direction == "to_target"
        offset = given if to_target else found.downstream
        account, upstream = self._view.account, place.upstream
        if offset is None:
            return
        topic = self._view.places.topics.get(upstream.topic)  # None: an original leads the group back
        if topic is not None:
            yield account.known_around(upstream, topic.topic_id, offset).text(source, target)
        mm2 = account.mm2_downstream(upstream, offset) if to_target else None
        if mm2 is not None:
            yield f"MirrorMaker {'has no place' if mm2 == BEHIND else f'would compute {mm2}'} from the offset syncs"
        if self._view.source.get(upstream) is None:
            yield f"{source} was not asked: the target's topics alone tell this"

    def _by_time_of_target(self, place: FoundPlace) -> TranslatedPlace:
        """Copies keep the times of their records, so the target knows the place itself."""
        offset, how = _offset_at(self._request.target, place.remote, place.wanted.timestamp_ms or 0)
        found = Translation(kind="exact", reason="inside_run", downstream=offset)
        source, target = self._request.id.source, self._request.id.target
        text = f"{source} does not answer; copies keep the times of their records, and on {target} {how}"
        return _answer(place, found, text, None, has_reason=False)


def found_place(inspection: GroupInspection, wanted: PlaceToTranslate) -> FoundPlace | None:
    """The topic is named as on either side; the name on the source counts first."""
    named = TopicPartition(wanted.topic, wanted.partition)
    remote = inspection.places.remote(named)
    if remote is not None:
        return FoundPlace(wanted=wanted, upstream=named, remote=remote)
    upstream = inspection.places.upstream(named)
    if upstream is None or inspection.places.remote(upstream) is None:
        return None
    return FoundPlace(wanted=wanted, upstream=upstream, remote=named)


def _offset_at(admin: ClusterAdmin, partition: TopicPartition, time_ms: int) -> tuple[int, str]:
    """Return the first offset at or after the time, the log's end if all records are older, and how it was found."""
    at = admin.offsets_at([partition], time_ms).get(partition)
    if at is not None:
        return at, f"the first record at or after the time is {at}"
    end = admin.list_offsets([partition], "latest").get(partition, 0)
    return end, f"all records are older than the time; the log ends at {end}"


def _answer(
    place: FoundPlace, found: Translation, evidence: str, given: int | None, *, has_reason: bool = True
) -> TranslatedPlace:
    return TranslatedPlace(
        topic=place.upstream.topic,
        partition=place.upstream.partition,
        direction=place.wanted.direction,
        kind=found.kind,
        reason=found.reason if has_reason else None,
        evidence=evidence,
        remote=place.remote.topic,
        timestamp_ms=place.wanted.timestamp_ms,
        given_offset=given,
        offset=found.downstream,
        latest=found.latest,
        rereads=found.rereads,
    )


def _impossible(wanted: PlaceToTranslate, evidence: str, place: FoundPlace | None = None) -> TranslatedPlace:
    return TranslatedPlace(
        topic=wanted.topic if place is None else place.upstream.topic,
        partition=wanted.partition,
        direction=wanted.direction,
        kind="impossible",
        reason=None,
        evidence=evidence,
        remote=None if place is None else place.remote.topic,
        timestamp_ms=wanted.timestamp_ms,
        given_offset=wanted.offset,
    )
