"""The data types in which other apps see the lists of a flow."""

from dataclasses import dataclass, field

from replication.domain.desired.name_lists import NameLists


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowLists:
    """The lists of one flow as last read; `problem` says why its control topic cannot be read now."""

    lists: NameLists = field(default_factory=NameLists)
    topic_id: str = ""
    end_offset: int = 0
    problem: str | None = None
    read_ms: int | None = None
