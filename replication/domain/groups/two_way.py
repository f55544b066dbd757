"""Places in topics that two flows share: equal names, and copies in both directions.

A group on one cluster has read local records and copies of the other cluster's, in the order of its log. In the
other log they are in another order: what the group has not read begins at the lower one of two places.
"""

from replication.domain.groups.translation import Translation, bounded, exact


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
    return bounded(inexact.reason, min(there, here), latest, rereads)
