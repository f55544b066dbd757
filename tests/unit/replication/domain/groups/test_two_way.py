"""One topic on two clusters that copy to each other: a group skips nothing and knows what it reads again."""

from hypothesis import given
from hypothesis import strategies as st

from replication.domain.groups.translation import Translation, bounded, exact, impossible
from replication.domain.groups.two_way import both_ways

Record = tuple[str, int]


@st.composite
def logs(draw: st.DrawFn) -> tuple[list[Record], list[Record]]:
    """Two logs with the same records: those of one origin are in the same order on both."""
    here: list[Record] = []
    there: list[Record] = []
    for log, first, second in ((here, "a", "b"), (there, "a", "b")):
        count = {first: 12, second: 12}
        order = draw(st.permutations([*["a"] * 12, *["b"] * 12]))
        for origin in order:
            log.append((origin, 12 - count[origin]))
            count[origin] -= 1
    return here, there


@given(logs(), st.integers(0, 24))
def test_nothing_is_skipped_and_what_comes_again_is_said(found: tuple[list[Record], list[Record]], commit: int) -> None:
    here, there = found

    def first_unread(origin: str) -> int:
        unread = [record for record in here[commit:] if record[0] == origin]
        return there.index(unread[0]) if unread else len(there)

    place = both_ways(exact("inside_run", first_unread("a")), exact("inside_run", first_unread("b")))

    assert place.kind == "exact"
    assert place.downstream is not None
    behind = there[place.downstream :]
    assert set(here[commit:]) <= set(behind)
    assert place.rereads is not None
    assert len(set(behind) & set(here[:commit])) <= place.rereads


def test_one_way_without_a_place_is_none_for_both() -> None:
    known, unknown = exact("inside_run", 7), impossible("no_evidence")

    assert both_ways(known, unknown) == both_ways(unknown, known) == unknown


def test_bounds_stay_bounds() -> None:
    known, vague = exact("inside_run", 7), bounded("missing_runs", 5, 9, 4)

    assert both_ways(known, vague) == bounded("missing_runs", 5, 7, 6)
    assert both_ways(known, Translation(kind="bounded", reason="sync_only", downstream=9, latest=12, rereads=None)) == (
        bounded("sync_only", 7, 7, None)
    )
