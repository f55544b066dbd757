"""The order of what happens to a record: loops, transforms, headers of ours."""

from replication.domain.batches.record import Record
from replication.domain.batches.record_rules import (
    PROVENANCE_HEADER,
    SOURCE_OFFSET_HEADER,
    RecordRules,
    SkipReason,
)
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.transforms.catalogue import NamedTransform, make_transform
from replication.domain.transforms.settings import TransformSettings

FLOW = FlowId("b", "c")
ORDERS = TopicPartition("orders", 0)
RECORD = Record(258, 1_000, b"k", b"v", [("own", b"1")])


def drop_v(topics: str | None = None) -> NamedTransform:
    return make_transform(TransformSettings(name="f", type="filter", topics=topics, options=(("pattern", "v"),)), {})


def came_through(*aliases: str) -> Record:
    return RECORD._replace(headers=[("own", b"1"), (PROVENANCE_HEADER, ",".join(aliases).encode())])


def test_the_source_offset_is_eight_bytes_behind_the_records_own_headers() -> None:
    made = RecordRules(flow=FLOW, source_offset=True).apply(ORDERS, RECORD)

    assert isinstance(made, Record)
    assert made.headers == [("own", b"1"), (SOURCE_OFFSET_HEADER, b"\0\0\0\0\0\0\1\2")]


def test_a_copied_source_offset_is_replaced_by_that_of_this_flow() -> None:
    rules = RecordRules(flow=FLOW, source_offset=True)
    older = RECORD._replace(headers=[(SOURCE_OFFSET_HEADER, bytes(8)), ("own", b"1")])

    made = rules.apply(ORDERS, older)

    assert isinstance(made, Record)
    assert made.headers == [("own", b"1"), (SOURCE_OFFSET_HEADER, b"\0\0\0\0\0\0\1\2")]


def test_provenance_grows_by_the_source_of_each_flow() -> None:
    rules = RecordRules(flow=FLOW, provenance=True)

    first, second = rules.apply(ORDERS, RECORD), rules.apply(ORDERS, came_through("a"))

    assert isinstance(first, Record)
    assert isinstance(second, Record)
    assert first.headers[-1] == (PROVENANCE_HEADER, b"b")
    assert second.headers[-1] == (PROVENANCE_HEADER, b"a,b")
    assert len(second.headers) == 2


def test_a_record_that_came_through_the_target_goes_no_further() -> None:
    rules = RecordRules(flow=FLOW, provenance=True)

    assert rules.apply(ORDERS, came_through("c")) is SkipReason.LOOPED
    assert rules.apply(ORDERS, came_through("c", "a")) is SkipReason.LOOPED
    assert isinstance(rules.apply(ORDERS, came_through("cc", "a")), Record)


def test_a_transform_leaves_records_out_on_its_topics_only() -> None:
    assert RecordRules(flow=FLOW, transforms=[drop_v()]).apply(ORDERS, RECORD) is SkipReason.FILTERED
    assert RecordRules(flow=FLOW, transforms=[drop_v("payments")]).apply(ORDERS, RECORD) == RECORD


def test_only_topics_somebody_asked_about_are_looked_at() -> None:
    limited = RecordRules(flow=FLOW, transforms=[drop_v("payments")])

    assert (limited.applies_to("payments"), limited.applies_to("orders")) == (True, False)
    assert RecordRules(flow=FLOW, provenance=True).applies_to("orders")
    assert not RecordRules(flow=FLOW)
    assert limited
