import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.codecs.offset_runs import decode, encode_key, encode_value, key_prefix
from replication.domain.offsets.offset_run import OffsetRun, RunSegment

runs = st.builds(OffsetRun, st.integers(0, 2**50), st.integers(0, 2**50), st.integers(1, 2**31))


@given(
    st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1),
    st.integers(0, 10_000),
    st.lists(runs, min_size=1),
)
def test_a_segment_survives_the_wire(topic: str, partition: int, members: list[OffsetRun]) -> None:
    segment = RunSegment(topic, partition, bytes(range(16)), tuple(members))

    assert decode(encode_key(segment), encode_value(segment)) == segment


def test_segments_of_a_re_created_topic_do_not_replace_those_of_the_former_one() -> None:
    former, current = (RunSegment("t", 0, bytes([number] * 16), (OffsetRun(0, 0, 5),)) for number in (1, 2))

    assert encode_key(former) != encode_key(current)
    assert encode_key(former).startswith(key_prefix("t", 0))
    assert encode_key(current).startswith(key_prefix("t", 0))


def test_what_is_copied_again_and_what_another_writes_has_a_key_of_its_own() -> None:
    first, again = (RunSegment("t", 0, bytes(16), (OffsetRun(7, downstream, 5),)) for downstream in (0, 5))

    assert len({encode_key(first, "one"), encode_key(again, "one"), encode_key(first, "two")}) == 3
    assert decode(encode_key(again, "one"), encode_value(again)) == again


def test_a_key_of_an_earlier_release_is_read() -> None:
    segment = RunSegment("t", 0, bytes(16), (OffsetRun(7, 0, 5),))

    assert decode(b"t\x000\x007", encode_value(segment)) == segment


def test_a_thousand_contiguous_runs_take_few_bytes() -> None:
    members = tuple(OffsetRun(i * 101, i * 100, 100) for i in range(1_000))

    assert len(encode_value(RunSegment("t", 0, bytes(16), members))) < 5_000


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (b"no separators", bytes(20)),
        (b"t\0x\x000", bytes(20)),
        (b"t\x000\x000", b""),
        (b"t\x000\x000", b"\x02" + bytes(20)),
        (b"t\x000\x000", b"\x01" + bytes(16) + b"\x80"),
    ],
    ids=["no key", "no partition", "empty", "unknown version", "cut off"],
)
def test_nonsense_is_refused_with_its_reason(key: bytes, value: bytes) -> None:
    with pytest.raises(ValueError, match=r"offset.run|offset runs"):
        decode(key, value)
