"""Decides where a group continues: at its checkpoint, or at the place that the flow's account tells."""

from replication.client.translated_offset import GroupCheckpoint, TranslatedOffset
from replication.domain.groups.translation import LogRange, Translation, TranslationReason, impossible

_OTHER_LOG: frozenset[TranslationReason] = frozenset({"remote_truncated", "topic_recreated", "remote_topic_missing"})


def continued(
    checkpoint: GroupCheckpoint, place: Translation, log: LogRange | None, same_from: int | None
) -> TranslatedOffset:
    """Return the offset from which on a group has unread records, or the reason why there is none.

    A checkpoint and a place of the same upstream offset may be of different topics. The place counts behind the
    checkpoint only if that lies behind `same_from`, where all copies are of one topic; None: never. A checkpoint behind
    the place is disproved.
    """
    known = checkpoint.downstream_offset
    if log is not None and place.kind == "impossible" and place.reason not in _OTHER_LOG and known > log.end:
        place = impossible("remote_truncated")
    if place.kind == "impossible" and place.reason in _OTHER_LOG:
        return _at(place, checkpoint)
    if place.downstream is None:
        return _at_checkpoint(checkpoint, log)
    latest = place.downstream if place.latest is None else place.latest
    is_same_topic = same_from is not None and (known > same_from or same_from == 0)
    if known > latest or known == place.downstream or (known < place.downstream and is_same_topic):
        return _at(place, checkpoint)
    return _at_checkpoint(checkpoint, log)


def _at(place: Translation, checkpoint: GroupCheckpoint) -> TranslatedOffset:
    return TranslatedOffset(
        offset=place.downstream,
        metadata=checkpoint.metadata,
        kind=place.kind,
        reason=place.reason,
        rereads=place.rereads,
    )


def _at_checkpoint(checkpoint: GroupCheckpoint, log: LogRange | None) -> TranslatedOffset:
    """Records below the start of the log are deleted: reading continues at it."""
    start = 0 if log is None else log.start
    return TranslatedOffset(offset=max(checkpoint.downstream_offset, start), metadata=checkpoint.metadata)
