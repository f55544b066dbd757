"""Data types that all apps share."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Partial:
    """A part that could not answer, so the list may be incomplete or old."""

    peer: str
    error: str
    age_ms: int | None = None
