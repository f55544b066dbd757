"""Answers `record`: reads a record on one cluster and its copy, or original, on the other."""

from dataclasses import dataclass, replace

from replication.connectors.group_questions.group_inspection import GroupInspection
from replication.connectors.group_questions.group_ports import GroupPorts
from replication.connectors.group_questions.place_translation import FoundPlace, PlaceTranslation, found_place
from replication.connectors.questions.flow_request import FlowRequest
from replication.domain.errors import ConfigurationError, ReplicationError
from replication.domain.groups.translation import LogRange, TranslationReason
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.questions.groups import PlaceToTranslate, TranslatedPlace
from replication.domain.questions.records import (
    MOST_HEADER_BYTES,
    MOST_HEADERS,
    MOST_KEY_BYTES,
    MOST_VALUE_BYTES,
    RecordPair,
    RecordPart,
    RecordSide,
    RecordState,
    ShownHeader,
    ShownRecord,
    shown_bytes,
)
from replication.ports.record_log import LogRecord, RecordLog
from replication.tasks.groups.group_round import RoundView

_MOST_SEARCHED = 1_000  # records between the bounds of a place
_NOT_YET: frozenset[TranslationReason] = frozenset({"copy_behind", "at_the_tip"})
_DELETED: frozenset[TranslationReason] = frozenset({"below_remote_start", "before_source_start"})
_UNKNOWN: frozenset[TranslationReason] = frozenset({"no_evidence", "sync_only", "missing_runs", "not_returned"})


@dataclass(frozen=True, slots=True)
class _Read:
    """One side: the stored record if it was found."""

    side: RecordSide
    stored: LogRecord | None = None


@dataclass(frozen=True, slots=True)
class _Log:
    """A partition that may be read; without `bounds`, `problem` says why not."""

    cluster: str
    partition: TopicPartition
    log: RecordLog
    bounds: LogRange | None
    problem: str


def record_pair(
    request: FlowRequest,
    plan: PlanDocument,
    ports: GroupPorts,
    wanted: PlaceToTranslate,
    now_ms: int,
    *,
    with_value: bool,
) -> RecordPair:
    """Return the record at an offset of one cluster with the one on the other. Blocking.

    Raises the target's errors, and ConfigurationError for a partition that the flow does not copy.
    """
    inspection = GroupInspection(request, plan, ports, now_ms)
    place = found_place(inspection, wanted)
    if place is None:
        raise ConfigurationError(f"{request.id} does not copy partition {wanted.partition} of {wanted.topic}")
    inspection.read_account()
    view = inspection.view({place.upstream})
    translated = PlaceTranslation(request, inspection, view).translated(place)
    silent = "; ".join(each.reason for each in inspection.unlooked if each.part == "source")
    source = _Log(request.id.source, place.upstream, ports.source_log, view.source.get(place.upstream), silent)
    target = _Log(request.id.target, place.remote, ports.target_log, view.remote.get(place.remote), "")
    if _is_local(view, place, translated):
        text = f"no record of {source.cluster} is copied to {wanted.offset}; the next copy: {translated.evidence}"
        translated = replace(translated, reason="in_gap", evidence=text)
    return _pair(request, place, translated, source, target, with_value=with_value)


def _is_local(view: RoundView, place: FoundPlace, back: TranslatedPlace) -> bool:
    """Return True for a record of the target that the flow did not write: the way back leads to the next copy."""
    if place.wanted.direction != "to_source" or back.reason != "inside_run" or back.offset is None:
        return False
    return view.translate(place.upstream, place.remote, back.offset).downstream != place.wanted.offset


def _pair(
    request: FlowRequest,
    place: FoundPlace,
    translated: TranslatedPlace,
    source: _Log,
    target: _Log,
    *,
    with_value: bool,
) -> RecordPair:
    to_target = place.wanted.direction == "to_target"
    given_log, other_log = (source, target) if to_target else (target, source)
    given = _read(given_log, place.wanted.offset or 0, with_value=with_value)
    other = _other(given, translated, other_log, with_value=with_value)
    original, copy = (given, other) if to_target else (other, given)
    return RecordPair(
        source=request.id.source,
        target=request.id.target,
        original=original.side,
        copy=copy.side,
        evidence=translated.evidence,
        differences=_differences(original.stored, copy.stored),
    )


def _other(given: _Read, translated: TranslatedPlace, log: _Log, *, with_value: bool) -> _Read:
    """Return the record on the other cluster: at the exact place, or the same one between the bounds."""
    reason, offset = translated.reason, translated.offset
    if given.side.state == "beyond_end":
        return _nothing(log, "not_copied_yet", "the record does not exist yet")
    if reason in _NOT_YET:
        return _nothing(log, "not_copied_yet", translated.evidence)
    if offset is None or (reason in _UNKNOWN and translated.kind == "impossible"):
        return _nothing(log, "place_unknown", translated.evidence)
    if translated.kind == "exact" and reason == "inside_run":
        return _read(log, offset, with_value=with_value)
    if given.stored is None:
        return _nothing(log, "place_unknown", f"{given.side.text}, so that its copy cannot be recognized")
    if reason in _DELETED and log.bounds is not None:
        return _nothing(log, "before_start", f"{translated.evidence}; the log starts at {log.bounds.start}")
    found = _searched(given.stored, log, offset, translated.latest)
    if isinstance(found, ReplicationError):
        return _nothing(log, "unreachable", found.text)
    if found is not None:
        return _found(log, found, with_value=with_value)
    if translated.kind == "exact":
        return _nothing(log, "not_copied", translated.evidence)
    return _nothing(log, "place_unknown", f"{translated.evidence}; no record between these bounds is the same")


def _searched(wanted: LogRecord, log: _Log, first: int, latest: int | None) -> LogRecord | ReplicationError | None:
    """Return the record between the bounds that is the same in key, value and time."""
    if log.bounds is None:
        return ReplicationError(log.problem)
    last = min(first if latest is None else latest, first + _MOST_SEARCHED)
    identity = (wanted.timestamp_ms, wanted.key, wanted.value)
    try:
        records = log.log.read_from(log.partition.topic, log.partition.partition, first, end=last + 1)
        return next((each for each in records if (each.timestamp_ms, each.key, each.value) == identity), None)
    except ReplicationError as error:
        return error


def _read(log: _Log, offset: int, *, with_value: bool) -> _Read:
    bounds, cluster = log.bounds, log.cluster
    if bounds is None:
        return _nothing(log, "unreachable", log.problem or f"{cluster} has no such partition, or it has no leader")
    if offset < bounds.start:
        return _nothing(log, "before_start", f"{cluster} has deleted it: the log starts at {bounds.start}")
    if offset >= bounds.end:
        return _nothing(log, "beyond_end", f"the log of {cluster} ends at {bounds.end}")
    try:
        stored = log.log.at(log.partition.topic, log.partition.partition, offset)
    except ReplicationError as error:
        return _nothing(log, "unreachable", error.text)
    if stored is None:
        text = f"{cluster} has no record at {offset}: compaction has removed it, or it marks the end of a transaction"
        return _nothing(log, "no_record", text)
    return _found(log, stored, with_value=with_value)


def _found(log: _Log, stored: LogRecord, *, with_value: bool) -> _Read:
    headers = tuple(
        ShownHeader(name=name, value=shown_bytes(value, MOST_HEADER_BYTES))
        for name, value in stored.headers[:MOST_HEADERS]
    )
    shown = ShownRecord(
        offset=stored.offset,
        timestamp_ms=stored.timestamp_ms,
        key=shown_bytes(stored.key, MOST_KEY_BYTES),
        headers=headers,
        headers_total=len(stored.headers),
        value_size=None if stored.value is None else len(stored.value),
        value=shown_bytes(stored.value, MOST_VALUE_BYTES) if with_value else None,
    )
    return _Read(_side(log, "found", f"{log.cluster} has it at {stored.offset}", shown), stored)


def _nothing(log: _Log, state: RecordState, text: str) -> _Read:
    return _Read(_side(log, state, text, None))


def _side(log: _Log, state: RecordState, text: str, record: ShownRecord | None) -> RecordSide:
    return RecordSide(
        cluster=log.cluster,
        topic=log.partition.topic,
        partition=log.partition.partition,
        state=state,
        text=text,
        log_start=None if log.bounds is None else log.bounds.start,
        log_end=None if log.bounds is None else log.bounds.end,
        record=record,
    )


def _differences(original: LogRecord | None, copy: LogRecord | None) -> tuple[RecordPart, ...] | None:
    if original is None or copy is None:
        return None
    parts: dict[RecordPart, bool] = {
        "timestamp": original.timestamp_ms != copy.timestamp_ms,
        "key": original.key != copy.key,
        "value": original.value != copy.value,
        "headers": original.headers != copy.headers,
    }
    return tuple(part for part, differs in parts.items() if differs)
