"""Places in topics that two flows share: equal names, and copies in both directions.

A group on one cluster has read local records and copies of the other cluster's, in the order of its log. In the
other log they are in another order: what the group has not read begins at the lower one of two places.
"""

from collections.abc import Callable
from dataclasses import replace

from replication.domain.groups.copy_account import CopyAccount
from replication.domain.groups.translation import Translation, bounded, exact
from replication.domain.identifiers import TopicPartition


def both_ways(forward: Translation, back: Translation) -> Translation:
    """Return the place in the other log of an offset of this log.

    `forward` is the place by the flow that copies local records there, `back` the place by the flow that brings the
    other cluster's records here.
    """
    there, here = forward.downstream, back.downstream
    if there is None or here is None:
        return forward if there is None else back
    lower = forward if there <= here else back
    known = [each.rereads for each in (forward, back)]
    rereads = None if None in known else abs(there - here) + sum(each or 0 for each in known)
    if forward.kind == back.kind == "exact":
        return exact(lower.reason, min(there, here), rereads=rereads or 0, copied_from=lower.copied_from)
    inexact = forward if forward.kind != "exact" else back
    latest = min(each.latest if each.latest is not None else place for each, place in ((forward, there), (back, here)))
    if latest == min(there, here) and rereads is not None:
        return exact(lower.reason, latest, rereads=rereads)  # the bounds are of records behind the place
    return bounded(inexact.reason, min(there, here), latest, rereads)


def past_copies(own: Translation, copies: CopyAccount, shared: TopicPartition, topic_id: bytes) -> Translation:
    """Return the place of a log's own records, moved past the copies that follow it there.

    `copies` tells of the flow into this log; `topic_id` is that of its source topic.
    """
    return _moved(own, lambda offset: copies.copies_from(shared, topic_id, offset))


def past_originals(copies: Translation, own: CopyAccount, shared: TopicPartition, topic_id: bytes) -> Translation:
    """Return the place of the copies in a log, moved past the log's own records that follow it there.

    `own` tells of the flow that copies them from this log; `topic_id` is that of the log's topic.
    """
    return _moved(copies, lambda offset: own.originals_from(shared, topic_id, offset))


def _moved(place: Translation, end_from: Callable[[int], int]) -> Translation:
    if place.downstream is None:
        return place
    latest = None if place.latest is None else end_from(place.latest)
    return replace(place, downstream=end_from(place.downstream), latest=latest)
