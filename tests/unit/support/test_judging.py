"""The judgement of a place by reading: what is skipped and read again, also if the source was compacted meanwhile."""

import pytest

from tests.support.groups.judging import Copied, Judged, judge

_PLAIN = [Copied(at, at + 10, b"%d" % at) for at in range(6)]
# the records 10 to 12 were copied and replaced; then a killed flow copied again from 11 on, as far as they are left
_AGAIN = [
    Copied(0, 10, b"a", is_on_source=False),
    Copied(1, 11, b"b", is_on_source=False),
    Copied(2, 12, b"c"),
    Copied(3, 12, b"c"),
    Copied(4, 13, b"a"),
    Copied(5, 14, b"b"),
]


@pytest.mark.parametrize(
    ("place", "committed", "copies", "judged"),
    [
        (2, 12, _PLAIN, Judged(skipped=0, rereads=0, is_first=True)),
        (3, 12, _PLAIN, Judged(skipped=1, rereads=0, is_first=False)),
        (1, 12, _PLAIN, Judged(skipped=0, rereads=1, is_first=False)),
        (6, 16, _PLAIN, Judged(skipped=0, rereads=0, is_first=True)),
        (3, 11, _AGAIN, Judged(skipped=0, rereads=0, is_first=True)),
        (1, 11, _AGAIN, Judged(skipped=0, rereads=0, is_first=True)),
        (5, 11, _AGAIN, Judged(skipped=2, rereads=0, is_first=False)),
        (3, 11, [each._replace(is_on_source=True) for each in _AGAIN], Judged(1, 0, is_first=False)),
        (3, 11, [each._replace(key=b"%d" % each.upstream) for each in _AGAIN], Judged(1, 0, is_first=False)),
    ],
    ids=["first", "too late", "too early", "end", "replaced", "older copy", "lost", "there", "keys"],
)
def test_what_is_skipped_and_read_again_is_counted(
    place: int, committed: int, copies: list[Copied], judged: Judged
) -> None:
    assert judge(place, committed, copies) == judged
