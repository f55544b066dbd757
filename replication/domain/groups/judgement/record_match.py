"""Finds closer bounds of a group's place by the content of records, where offsets alone give bounds only.

The place is that of the first copy of an unread record. Copies keep the order of their source, and a record may be
copied twice, changed, or not at all. So nothing is concluded from a record that is not found, and of several copies
that may be meant, the one that skips nothing counts.
"""

from collections.abc import Hashable, Mapping, Sequence


def narrowed_bounds(
    bounds: tuple[int, int],
    read: Sequence[Hashable],
    unread: Sequence[Hashable],
    copies: Mapping[int, Hashable],
) -> tuple[int, int]:
    """Return the bounds of the place, at least as close as the given ones.

    `read` are the contents of the last records before the group's offset, the newest first; `unread` those from it on,
    at least as many as offsets lie between the bounds, or all there are. `copies` are the records of the remote log
    from the lower bound to the upper one, by offset.

    - If a copy of the next unread record is found, the lowest copy of any unread record is the lower bound.
    - Else the place is behind the last read record of which a copy is found, and not behind copies of unread ones.
    - The place is not behind the last copy of any unread record, unless a read record equals it.
    """
    low, high = bounds
    places: dict[Hashable, list[int]] = {}
    for offset in sorted(copies):
        places.setdefault(copies[offset], []).append(offset)
    was_read, is_unread = frozenset(read), frozenset(unread)
    unread_at = [places[each] for each in is_unread if each in places]
    lowest = min((offsets[0] for offsets in unread_at), default=high)
    if unread and unread[0] in places:
        low = max(low, lowest)
    else:
        behind = next((places[each][0] + 1 for each in read if each in places and each not in is_unread), low)
        low = max(low, min(behind, lowest))
    high = min((places[each][-1] for each in is_unread - was_read if each in places), default=high)
    return (low, high) if low <= high else bounds
