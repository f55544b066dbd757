"""The shape of what a search finds, and its rank. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

HitKind = Literal["flow", "topic", "group", "cluster", "property"]
HIT_KINDS: tuple[HitKind, ...] = get_args(HitKind)
EXACT, BEGINS, CONTAINS = 0, 1, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A flow, topic, consumer group, cluster or property key; names that the kind does not have are null."""

    kind: HitKind
    label: Annotated[str, "its name"]
    rank: Annotated[int, "0: the name is the text, 1: it begins with it, 2: it contains it"]
    text: Annotated[str | None, "what it is"] = None
    source: Annotated[str | None, "source cluster of the flow"] = None
    target: Annotated[str | None, "target cluster of the flow"] = None
    topic: str | None = None
    remote_topic: str | None = None
    group: str | None = None
    is_planned: Annotated[bool | None, "the newest plan of the flow has the topic or group; null: no plan"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The best hits of a kind; `is_cut` if there are more."""

    hits: tuple[Hit, ...]
    is_cut: bool


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of the typed text; an arrow separates the ends of a flow."""
    return tuple(text.replace("->", " ").replace("→", " ").split())


def rank_of(text: str, names: Iterable[str]) -> int | None:
    """Return the rank of something with these names; None if one of the words is in none of them."""
    lowered = [name.lower() for name in names]
    words, whole = [word.lower() for word in words_of(text)], " ".join(words_of(text)).lower()
    if not all(any(word in name for name in lowered) for word in words):
        return None
    if whole in lowered or all(word in lowered for word in words):
        return EXACT
    return BEGINS if any(name.startswith(whole) for name in lowered) else CONTAINS


def best(hits: Iterable[Hit], limit: int) -> Found:
    """Return the first hits by rank, then the shortest names."""
    ordered = sorted(hits, key=lambda hit: (hit.rank, len(hit.label), hit.label, hit.source or "", hit.target or ""))
    return Found(hits=tuple(ordered[:limit]), is_cut=len(ordered) > limit)


def in_order(found: Sequence[Found]) -> tuple[Hit, ...]:
    """Return the hits of all kinds, the best first; equal ranks in the order of `HIT_KINDS`."""
    return tuple(sorted((hit for each in found for hit in each.hits), key=lambda hit: hit.rank))
