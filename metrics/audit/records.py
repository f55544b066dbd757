"""Compares the records of a bad range one by one: missing, doubled, changed, moved. Pure.

Contents are compared by hash. Both sides are lists in offset order; where the same content is on both sides, the
longest common order is taken as unmoved. What is left over on both sides at the same place is a changed record.
"""

from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from metrics.audit.findings import Finding

Pair = tuple[int, int]  # indexes into the source's and the target's records
_DIFF_LIMIT = 1_000_000  # product of lengths up to which repeated contents are matched in the best way


@dataclass(frozen=True, slots=True)
class HashedRecord:
    """One record as its hashes."""

    offset: int
    content: Hashable
    key: int
    value: int
    headers: int
    timestamp_ms: int


def compare(partition: int, source: Sequence[HashedRecord], target: Sequence[HashedRecord]) -> list[Finding]:
    """Return all differences between two ranges that should be equal."""
    pairs = _matched(source, target)
    unmoved = _longest_order(pairs)
    still = set(unmoved)
    findings = [_reordered(partition, source[s], target[t]) for s, t in pairs if (s, t) not in still]
    left_source = sorted(set(range(len(source))) - {s for s, _ in pairs})
    left_target = sorted(set(range(len(target))) - {t for _, t in pairs})
    doubled, left_target = _doubled(partition, source, target, left_target)
    changed, left_source, left_target = _changed(partition, source, target, left_source, left_target, unmoved)
    findings += doubled + changed
    findings += [_alone(partition, "missing", source[s]) for s in left_source]
    findings += [_alone(partition, "unexpected", target[t]) for t in left_target]
    return findings


def _matched(source: Sequence[HashedRecord], target: Sequence[HashedRecord]) -> list[Pair]:
    """Pairs of equal content, in source order: unique contents first, then what repeats, between those."""
    unique = _unique_pairs(source, target)
    taken_source = {s for s, _ in unique}
    taken_target = {t for _, t in unique}
    pairs = list(unique)
    for low, high in _gaps(_longest_order(unique), len(source), len(target)):
        inner_source = [s for s in range(low[0], high[0]) if s not in taken_source]
        inner_target = [t for t in range(low[1], high[1]) if t not in taken_target]
        pairs += _matched_repeats(source, target, inner_source, inner_target)
    paired_source, paired_target = {s for s, _ in pairs}, {t for _, t in pairs}
    rest_source = [s for s in range(len(source)) if s not in paired_source]
    rest_target = [t for t in range(len(target)) if t not in paired_target]
    return sorted(pairs + _in_turn(source, target, rest_source, rest_target))


def _unique_pairs(source: Sequence[HashedRecord], target: Sequence[HashedRecord]) -> list[Pair]:
    once_source = _once(source)
    once_target = _once(target)
    return sorted((at, once_target[content]) for content, at in once_source.items() if content in once_target)


def _once(records: Sequence[HashedRecord]) -> dict[Hashable, int]:
    counts = Counter(record.content for record in records)
    return {record.content: at for at, record in enumerate(records) if counts[record.content] == 1}


def _gaps(anchors: Sequence[Pair], sources: int, targets: int) -> Iterator[tuple[Pair, Pair]]:
    """The records between neighbouring anchors, as half-open index ranges of both sides."""
    low = (0, 0)
    for s, t in [*anchors, (sources, targets)]:
        if s > low[0] and t > low[1]:
            yield low, (s, t)
        low = (s + 1, t + 1)


def _matched_repeats(
    source: Sequence[HashedRecord],
    target: Sequence[HashedRecord],
    inner_source: Sequence[int],
    inner_target: Sequence[int],
) -> list[Pair]:
    if len(inner_source) * len(inner_target) > _DIFF_LIMIT:
        return _in_turn(source, target, inner_source, inner_target)
    matcher = SequenceMatcher(
        None, [source[s].content for s in inner_source], [target[t].content for t in inner_target], autojunk=False
    )
    return [
        (inner_source[block.a + step], inner_target[block.b + step])
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    ]


def _in_turn(
    source: Sequence[HashedRecord],
    target: Sequence[HashedRecord],
    some_source: Sequence[int],
    some_target: Sequence[int],
) -> list[Pair]:
    """Equal contents, the first with the first."""
    waiting: defaultdict[Hashable, deque[int]] = defaultdict(deque)
    for t in some_target:
        waiting[target[t].content].append(t)
    return [(s, waiting[source[s].content].popleft()) for s in some_source if waiting.get(source[s].content)]


def _longest_order(pairs: Sequence[Pair]) -> list[Pair]:
    """The most pairs whose order is the same on both sides (longest increasing subsequence)."""
    ends: list[int] = []  # target index at which the best chain of each length ends
    at: list[int] = []
    before: list[int] = [-1] * len(pairs)
    for index, (_, t) in enumerate(pairs):
        length = bisect_left(ends, t)
        before[index] = at[length - 1] if length else -1
        if length == len(ends):
            ends.append(t)
            at.append(index)
        else:
            ends[length], at[length] = t, index
    chain: list[Pair] = []
    index = at[-1] if at else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]


def _doubled(
    partition: int, source: Sequence[HashedRecord], target: Sequence[HashedRecord], left: Sequence[int]
) -> tuple[list[Finding], list[int]]:
    """Surplus target records whose content the source has: copied more than once."""
    original = {record.content: record.offset for record in reversed(source)}
    findings = [
        duplicate(partition, original[target[t].content], target[t].offset)
        for t in left
        if target[t].content in original
    ]
    return findings, [t for t in left if target[t].content not in original]


def _changed(
    partition: int,
    source: Sequence[HashedRecord],
    target: Sequence[HashedRecord],
    left_source: Sequence[int],
    left_target: Sequence[int],
    unmoved: Sequence[Pair],
) -> tuple[list[Finding], list[int], list[int]]:
    """Pairs at the same place with another content: by key and time, by key, by time, then in order."""
    by_gap: defaultdict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for s in left_source:
        by_gap[bisect_left(unmoved, (s, -1))][0].append(s)
    anchors = [t for _, t in unmoved]
    for t in left_target:
        by_gap[bisect_left(anchors, t)][1].append(t)
    pairs: list[Pair] = []
    for own, other in by_gap.values():
        for likeness in _LIKENESS:
            pairs += _match_alike(source, target, own, other, likeness)
    done_source, done_target = {s for s, _ in pairs}, {t for _, t in pairs}
    findings = [
        Finding(
            partition=partition,
            kind="changed",
            source_offset=source[s].offset,
            target_offset=target[t].offset,
            detail=_what_differs(source[s], target[t]),
        )
        for s, t in pairs
    ]
    return (
        findings,
        [s for s in left_source if s not in done_source],
        [t for t in left_target if t not in done_target],
    )


_LIKENESS: tuple[Callable[[HashedRecord], Hashable], ...] = (
    lambda record: (record.key, record.timestamp_ms),
    lambda record: (record.value, record.timestamp_ms),
    lambda record: record.key,
    lambda record: record.timestamp_ms,
    lambda _record: None,
)


def _match_alike(
    source: Sequence[HashedRecord],
    target: Sequence[HashedRecord],
    own: list[int],
    other: list[int],
    likeness: Callable[[HashedRecord], Hashable],
) -> list[Pair]:
    """Pair what is alike, in order, and take it out of both lists."""
    waiting: defaultdict[Hashable, deque[int]] = defaultdict(deque)
    for t in other:
        waiting[likeness(target[t])].append(t)
    pairs = [(s, waiting[likeness(source[s])].popleft()) for s in own if waiting.get(likeness(source[s]))]
    for s, t in pairs:
        own.remove(s)
        other.remove(t)
    return pairs


def _what_differs(ours: HashedRecord, theirs: HashedRecord) -> str:
    parts = [
        name for name in ("key", "value", "headers", "timestamp_ms") if getattr(ours, name) != getattr(theirs, name)
    ]
    return f"{' and '.join(parts) or 'content'} differs".replace("timestamp_ms", "timestamp")


def _reordered(partition: int, ours: HashedRecord, theirs: HashedRecord) -> Finding:
    return Finding(
        partition=partition,
        kind="reordered",
        source_offset=ours.offset,
        target_offset=theirs.offset,
        detail="is at another place among its neighbours",
    )


def duplicate(partition: int, source_offset: int, target_offset: int) -> Finding:
    """A target record more than the source has of this content."""
    return Finding(
        partition=partition,
        kind="duplicate",
        source_offset=source_offset,
        target_offset=target_offset,
        detail="copied more than once",
    )


def _alone(partition: int, kind: str, record: HashedRecord) -> Finding:
    if kind == "missing":
        return Finding(partition=partition, kind="missing", source_offset=record.offset, target_offset=None)
    return Finding(partition=partition, kind="unexpected", source_offset=None, target_offset=record.offset)
