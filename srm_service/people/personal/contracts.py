"""The data types of saved views and preferences, and their limits."""

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

ViewPage = Literal["overview"]
VIEW_PAGES: tuple[ViewPage, ...] = get_args(ViewPage)
MOST_VIEWS = 50  # per person
LONGEST_VIEW_NAME = 60
LONGEST_VIEW_QUERY = 2_000
MOST_PINNED_FLOWS = 50
MOST_COLUMNS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedViewDto:
    """A page as a person wants to see it again."""

    id: int
    name: str
    page: ViewPage
    query: Annotated[str, "the query string of the page's address, without `?`"]
    is_default: Annotated[bool, "the page opens with this view"]
    changed_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferencesDto:
    """The preferences of a person."""

    pinned_flows: Annotated[tuple[str, ...], "flows as `source->target`, in the order of the person"] = ()
    columns: Annotated[tuple[str, ...], "columns of the table of flows; none: the usual ones"] = ()
