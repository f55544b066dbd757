"""The range of source offsets by which the counts of a partition advanced in one hour. Pure.

The store knows the present end of the range. The end of an hour lies before it by all that later tiles counted:
covered - overlap + hole. So ranges of consecutive hours meet, and each equals the sums of its tiles.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CoveredNow:
    """A row of the table `covered`."""

    topic_id: str
    first_offset: int
    next_offset: int


def covered_in_hour(now: CoveredNow, in_hour: int, later: int) -> tuple[str | None, int | None, int | None]:
    """Topic id, first and next offset of the hour; nulls if its offsets are those of a topic since re-created.

    `in_hour` and `later` are covered - overlap + hole of the hour and of all later tiles. The range of a topic id
    that began in the hour starts there.
    """
    following = now.next_offset - later
    if following < now.first_offset or (following == now.first_offset and in_hour):
        return None, None, None
    return now.topic_id, max(following - in_hour, now.first_offset), following
