"""Properties of translations, against a model that knows every record of both logs."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from replication.domain.groups.copy_account import CopyAccount
from replication.domain.groups.translation import LogRange, Translation
from tests.unit.replication.domain.groups.copied_partition import UPSTREAM, CopiedPartition
from tests.unit.replication.domain.groups.partition_events import EVENTS

_COMMON = ["produce", "copy", "copy all", "commit position", "write segment", "write syncs"] * 3
histories = st.lists(st.sampled_from([*EVENTS, *_COMMON]), min_size=1, max_size=40)
flows = st.builds(
    CopiedPartition,
    random=st.integers(0, 2**32).map(Random),
    exactly_once=st.booleans(),
    read_committed=st.booleans(),
    is_shared=st.booleans(),
    has_syncs=st.booleans(),
    is_mirror=st.booleans(),
).filter(lambda each: not each.is_mirror or (each.has_syncs and not each.exactly_once))


class Reader:
    """An account that reads the topics of the model, and asks for places."""

    def __init__(self, partition: CopiedPartition) -> None:
        self.partition = partition
        self.account = CopyAccount()
        self._runs = self._positions = self._syncs = 0

    def read(self) -> None:
        """Read the positions, the syncs, then the runs."""
        partition = self.partition
        for position in partition.positions[self._positions :]:
            self.account.add_position(UPSTREAM, position)
        self._positions = len(partition.positions)
        for sync in partition.syncs[self._syncs :]:
            self.account.add_sync(UPSTREAM, *sync)
        self._syncs = len(partition.syncs)
        for segment in partition.written[self._runs :]:
            self.account.add_segment(b"", segment)
        self._runs = len(partition.written)

    @property
    def source(self) -> LogRange:
        return LogRange(start=self.partition.source_start, end=self.partition.source_end)

    @property
    def remote(self) -> LogRange:
        return LogRange(start=self.partition.remote_start, end=self.partition.remote_end)

    def place(self, offset: int) -> Translation:
        return self.account.translate(UPSTREAM, self.partition.topic_id, offset, self.source, self.remote)

    def back(self, offset: int) -> Translation:
        return self.account.translate_back(UPSTREAM, self.partition.topic_id, offset, self.source, self.remote)


def lived(partition: CopiedPartition, history: list[str]) -> Reader:
    """The model after these events, and an account that read while they happened."""
    reader = Reader(partition)
    partition.produce(5)
    partition.commit()
    for event in history:
        EVENTS[event](partition)
        if partition.random.random() < 0.3:
            reader.read()
    reader.read()
    return reader


def check(reader: Reader, offset: int) -> None:
    partition, found = reader.partition, reader.place(offset)
    if found.kind == "impossible":
        assert found.downstream is None
        assert found.latest is None
        assert found.rereads is None
        return
    lowest, highest = partition.places(offset)
    place = found.downstream
    assert place is not None
    assert partition.remote_start <= place <= partition.remote_end
    assert place <= highest, f"{found} skips unread records of {offset}: they begin at {highest}"
    again = partition.reads_again(offset, place, found.latest or place)
    assert found.rereads is None or again <= found.rereads, f"{found} of {offset} reads {again} again"
    if found.kind == "bounded":
        assert found.latest is not None
        assert place <= found.latest <= partition.remote_end
    if partition.was_reset and not partition.is_told:
        return  # behind a reset, a few seconds leave no trace: the place is safe, and maybe too low
    if found.kind == "bounded" or found.rereads == 0:
        latest = place if found.latest is None else found.latest
        assert lowest <= latest, f"{found} of {offset} is below {lowest}"


@settings(max_examples=120)
@given(flows, histories)
def test_no_unread_record_is_skipped_and_bounds_contain_the_place(
    partition: CopiedPartition, history: list[str]
) -> None:
    reader = lived(partition, history)
    for offset in range(partition.source_end + 1):
        check(reader, offset)
    assert reader.place(partition.source_end + 1).kind == "impossible"


@settings(max_examples=120)
@given(flows, histories)
def test_the_place_of_an_offset_in_a_written_run_is_exact(partition: CopiedPartition, history: list[str]) -> None:
    reader = lived(partition, history)
    if partition.has_lost_runs:
        return  # the position may tell of runs that the topic has not, and then only bounds are certain
    for offset, place in partition.told_for_certain.items():
        found = reader.place(offset)
        assert found.kind == "exact", f"{found} of {offset}, which is at {place}"
        assert found.downstream is not None
        assert found.downstream <= place, f"{found} of {offset}, which is at {place}"


@settings(max_examples=150)
@given(flows, histories)
def test_translations_ascend_with_the_commit(partition: CopiedPartition, history: list[str]) -> None:
    reader = lived(partition, history)
    found = [reader.place(offset).downstream for offset in range(partition.source_end + 1)]
    places = [place for place in found if place is not None]
    assert places == sorted(places)


def check_back(reader: Reader, offset: int) -> None:
    partition, found = reader.partition, reader.back(offset)
    upstream = found.downstream
    if upstream is None or (partition.was_reset and not partition.is_told):
        return  # behind a reset, a few seconds leave no trace
    assert partition.source_start <= upstream <= partition.source_end
    skipped = partition.skipped_before(upstream, offset)
    assert not skipped, f"{found} of {offset} skips {skipped}"
    if found.kind == "exact" and found.reason == "inside_run" and reader.place(upstream).kind == "exact":
        there = reader.place(upstream).downstream
        assert there is not None
        passed = partition.records_between(offset, there)
        assert not passed, f"{offset} leads to {found}, and that to {there}, past {passed}"


@settings(max_examples=150)
@given(flows, histories)
def test_the_inverse_skips_no_record_and_agrees_with_the_forward_direction(
    partition: CopiedPartition, history: list[str]
) -> None:
    reader = lived(partition, history)
    for offset in range(partition.remote_start, partition.remote_end + 1):
        check_back(reader, offset)
    assert reader.back(partition.remote_end + 1).kind == "impossible"
