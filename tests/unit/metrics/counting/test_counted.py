"""Raw records: what counts, what repeats, what is bad."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from metrics.counting.batch import seqs_of
from metrics.counting.group_rows import ReadSummary, ReportedRange, SeqKey, TileGroup
from metrics.counting.records import RawRow, validated_records
from metrics.counting.tiles import counted
from metrics.schemas import ANY_PARTITION
from replication.domain.reporting.histogram import Histogram
from tests.support.metrics.raw_metrics import START_MS, RawTask, Record, encode, histogram

TOPIC = "srm-metrics.a.internal"


def run(
    values: Sequence[Record | bytes | None],
    *,
    first_offset: int = 0,
    next_offset: int = 0,
    last_seqs: Mapping[SeqKey, int] | None = None,
) -> tuple[list[ReadSummary], list[TileGroup]]:
    """Count records of one raw partition from `first_offset` on."""
    return counted(raw_rows(values, first_offset), "b", {(TOPIC, 0): next_offset}, last_seqs or {})


def raw_rows(values: Sequence[Record | bytes | None], first_offset: int = 0, partition: int = 0) -> list[RawRow]:
    return [
        RawRow(TOPIC, partition, first_offset + index, encode(value) if isinstance(value, dict) else value)
        for index, value in enumerate(values)
    ]


def test_sums_extremes_and_histograms_are_merged() -> None:
    task = RawTask(now_ms=START_MS)
    _, groups = run([task.report(records=10), task.report(records=30)])

    assert len(groups) == 1
    tile = groups[0]
    assert tile.time_ms == START_MS
    sums = (tile.sums.records, tile.sums.bytes, tile.sums.wire_bytes, tile.sums.throttled_ms)
    assert sums == (40, 4_000, 3_600, 6)
    assert tile.sums.latency.to_list() == [6, 1, 16, 42, 0, {"0": 2, "8": 2, "16": 2}]
    assert tile.sums.age.to_list() == [2, 2, 2, 4, 0, {"4": 2}]
    assert tile.spans == (ReportedRange(0, 1, 0, 10), ReportedRange(1, 1, 10, 40))


def test_a_period_belongs_to_the_tile_that_holds_its_last_millisecond() -> None:
    task = RawTask(now_ms=START_MS)
    _, groups = run([task.report(), task.report(), task.report()])

    assert sorted((group.time_ms - START_MS, len(group.spans)) for group in groups) == [(0, 2), (10_000, 1)]


def test_now_is_the_last_report_with_its_rates_and_lag() -> None:
    task = RawTask(partitions=(3,))
    _, groups = run([task.report(records=5), task.report(records=50)])

    now = groups[0].now
    assert (now.state, now.cause, now.covered_to, now.log_end, now.lag) == ("replicating", None, 55, 58, 3)
    assert (now.records_per_second, now.bytes_per_second) == (10.0, 1_000.0)
    assert groups[0].sums.lag_max == 3


@pytest.mark.parametrize(
    ("more", "last_record_ms"), [([], None), ([1_790_000_000_123], 1_790_000_000_123), ([None], None)]
)
def test_now_has_the_start_of_the_log_and_the_time_of_the_last_record(
    more: list[int | None], last_record_ms: int | None
) -> None:
    part = [0, 0, "replicating", None, 40, 50, 30, 60, 20, 10, 100, 90, 0, None, None, *more]
    _, groups = run([RawTask().envelope(topics=[["t", "a.t", "00"]], parts=[part])])

    assert (groups[0].now.log_start, groups[0].now.last_record_ms) == (30, last_record_ms)


@pytest.mark.parametrize("invalid", [-1, 1 << 54, "yesterday", 1.5])
def test_a_report_with_an_invalid_time_of_the_last_record_is_bad(invalid: object) -> None:
    part = [0, 0, "replicating", None, 40, 50, 30, 60, 20, 10, 100, 90, 0, None, None, invalid]
    summaries, groups = run([RawTask().envelope(topics=[["t", "a.t", "00"]], parts=[part])])

    assert (sum(summary.bad for summary in summaries), groups) == (1, [])


def test_what_is_not_measured_stays_unknown() -> None:
    task = RawTask()
    part = [0, 0, "caught_up", None, 0, 0, None, None, None, 0, 0, 0, 0, None, None]
    _, groups = run([task.envelope(topics=[["t", "a.t", "00"]], parts=[part])])

    assert (groups[0].now.log_end, groups[0].now.lag, groups[0].sums.lag_max) == (None, None, None)
    assert groups[0].sums.latency.count == 0


def test_a_record_that_comes_twice_counts_once() -> None:
    task = RawTask()
    first, second = task.report(), task.report()
    heads, groups = run([first, first, second, first, second])

    assert sum(group.sums.records for group in groups) == 20
    assert [(head.task, head.boot, head.seq, head.last_offset) for head in heads] == [("a/source/0", "boot-1", 2, 4)]


def test_records_in_a_raw_partition_that_was_added_count_beside_older_ones() -> None:
    task = RawTask()
    older, newer = ([task.report() for _ in range(3)] for _ in range(2))
    rows = [*raw_rows(newer), *raw_rows([*older, older[1]], 3, partition=1)]

    heads, groups = counted(rows, "b", {}, {})

    assert sum(len(group.spans) for group in groups) == 6
    seqs = seqs_of(heads)
    assert {key: seq for key, (seq, _) in seqs.items()} == {
        SeqKey(task.task, "boot-1", 0): 6,
        SeqKey(task.task, "boot-1", 1): 3,
    }


def test_older_records_of_an_added_raw_partition_count_after_newer_ones_of_another() -> None:
    task = RawTask()
    older = raw_rows([task.report() for _ in range(3)], partition=1)

    _, groups = counted(older, "b", {}, {SeqKey(task.task, "boot-1", 0): 9, SeqKey(task.task, "boot-1", 1): 1})

    assert sum(len(group.spans) for group in groups) == 2


def test_a_guard_that_names_no_partition_holds_for_all_until_one_has_its_own() -> None:
    task = RawTask()
    reports = [task.report() for _ in range(3)]
    of_all = SeqKey(task.task, "boot-1", ANY_PARTITION)

    _, groups = run(reports, last_seqs={of_all: 2})
    _, later = run(reports, last_seqs={of_all: 1, SeqKey(task.task, "boot-1", 0): 3})

    assert sum(len(group.spans) for group in groups) == 1
    assert later == []


def test_a_repeated_record_does_not_take_back_what_was_counted() -> None:
    heads, _ = run([RawTask().report()], last_seqs={SeqKey("a/source/0", "boot-1", 0): 7})

    assert seqs_of(heads) == {}


def test_a_record_counted_in_an_earlier_batch_does_not_count_again() -> None:
    task = RawTask()
    _, groups = run([task.report(), task.report()], last_seqs={SeqKey("a/source/0", "boot-1", 0): 1})

    assert [group.spans for group in groups] == [(ReportedRange(1, 1, 10, 20),)]


def test_a_new_boot_numbers_its_records_from_the_beginning() -> None:
    task = RawTask()
    before = task.report()
    task.restart("boot-2")
    _, groups = run([before, task.report()], last_seqs={SeqKey("a/source/0", "boot-1", 0): 0})

    assert sum(group.sums.records for group in groups) == 20


def test_rows_below_the_ledger_are_not_read_again() -> None:
    task = RawTask()
    heads, groups = run([task.report(), task.report(records=7)], first_offset=100, next_offset=101)

    assert [(head.first_offset, head.last_offset) for head in heads] == [(101, 101)]
    assert sum(group.sums.records for group in groups) == 7


def test_every_kind_of_bad_record_is_told_apart() -> None:
    record = RawTask().envelope
    expected: list[tuple[Record | bytes | None, str | None]] = [
        (b"{not json", "not a raw metrics record"),
        (b"[1, 2]", "not a raw metrics record"),
        (b"", "not a raw metrics record"),
        (None, "not a raw metrics record"),
        (b"\xff\xfe\x00", "not a raw metrics record"),
        (record(seq="many"), "not a raw metrics record"),
        (record(v=2), "unknown version"),
        (record(kind="surprise"), "unknown kind"),
        (record(boot=None), "incomplete envelope"),
        (record(to_ms=12), "incomplete envelope"),
        (record(from_ms=START_MS + 1, to_ms=START_MS), "incomplete envelope"),
        (record(target="elsewhere", topics=[], parts=[]), "written for another target"),
        (record(), "no topics or parts"),
        (record(topics=[["a\x00b", "x", "00"]], parts=[]), "holds a NUL"),
        (record(kind="gap", topic="t"), "incomplete gap"),
        (record(topics=[], parts=[]), None),
        (record(kind="driver", source=None, cpu_ratio=0.5), None),
        (record(kind="connector", topics=3, partitions=None), None),
        (record(topics={}, parts=[]), "not a raw metrics record"),
        (record(topics=[], parts=[], counters=[1]), "not a raw metrics record"),
        (record(task={"a": 1}), "not a raw metrics record"),
        (record(task="t" * 256), "not a raw metrics record"),
        (record(source="s" * 6_000), "not a raw metrics record"),
        (record(seq=1 << 63), "not a raw metrics record"),
        (record(seq=True), "not a raw metrics record"),
        (record(seq=-1), "incomplete envelope"),
        (b'{"v": NaN, "kind": "driver"}', "not a raw metrics record"),
        (b"[" * 100_000, "not a raw metrics record"),
    ]
    found = list(validated_records(raw_rows([value for value, _ in expected]), "b", {}, {}))

    assert [each.problem for each in found] == [problem for _, problem in expected]


def test_bad_records_are_counted_with_a_sample_and_their_neighbours_count() -> None:
    task = RawTask()
    heads, groups = run([task.report(), b"{first", b"{second", task.report()])

    assert sum(head.bad for head in heads) == 2
    assert [head.sample for head in heads if head.sample] == ["not a raw metrics record: {second"]
    assert sum(group.sums.records for group in groups) == 20
    assert max(head.last_offset for head in heads) == 3


def test_every_kind_of_unreadable_part_is_skipped() -> None:
    changes: list[dict[int, Any]] = [
        *({0: 5}, {1: -1}, {1: "x"}, {2: ""}, {4: 20, 5: 10}, {5: 1 << 60}, {9: -1}, {9: 1 << 62}, {10: None}),
        *({0: -1}, {0: "0"}, {1: True}, {1: 1 << 60}, {4: 1.0}, {7: -1}, {8: "9"}),
        *({13: [1, 1, 1, 1, 0, {"161": 1}]}, {13: [1, 1, 1, 1 << 60, 0, {}]}, {13: [1, 1, 1, 1, 0, {"1": -1}]}),
        *({13: [1, 2]}, {13: [1, 1, 1, 1, 0, {"x": 1}]}, {13: [1, 1, 1, 1, 0, None]}, {14: "nonsense"}),
    ]
    record = RawTask(partitions=tuple(range(len(changes) + 1))).report()
    for part, change in zip(record["parts"], changes, strict=False):
        for position, value in change.items():
            part[position] = value
    heads, groups = run([record])

    assert [(group.key.partition, group.sums.records) for group in groups] == [(len(changes), 10)]
    assert sum(head.bad for head in heads) == len(changes)
    assert any((head.sample or "").startswith("unreadable part: 0,") for head in heads)


def test_a_part_that_is_no_list_or_ends_early_is_skipped() -> None:
    record = RawTask(partitions=(0, 1, 2, 3)).report()
    record["parts"][0], record["parts"][1] = None, record["parts"][1][:12]
    del record["parts"][2][13:]
    heads, groups = run([record])

    assert [(group.key.partition, group.sums.latency.count) for group in groups] == [(2, 0), (3, 3)]
    assert sum(head.bad for head in heads) == 2


@pytest.mark.parametrize(
    "topics", [[], [["", "a.t", "00"]], [["t", None, "00"]], [["t", "a.t"]], [5], [None], [["t" * 256, "a.t", "00"]]]
)
def test_a_part_of_a_topic_without_its_names_is_skipped(topics: list[Any]) -> None:
    heads, groups = run([{**RawTask().report(), "topics": topics}])

    assert groups == []
    assert sum(head.bad for head in heads) == 1


@pytest.mark.parametrize("place", ["part", "state", "counters"])
def test_nonsense_nested_to_the_bottom_fails_no_batch(place: str) -> None:
    plain = RawTask(partitions=(0, 1)).report()
    text = encode(plain)
    for depth in range(700, 1_100):
        nest = b"[" * depth + b"]" * depth
        if place == "part":
            record = text.replace(b'"parts":[', b'"parts":[' + nest + b",", 1)
        elif place == "state":
            record = text.replace(b'"replicating"', nest, 1)
        else:
            record = text[:-1] + b',"counters":{"a":' + nest + b"}}"
        assert record != text
        run([record])


def test_half_a_surrogate_pair_is_replaced_as_no_database_would_store_it() -> None:
    record = RawTask(topic="or\ud800ders").report()
    _, groups = run([record])

    assert groups[0].key.topic == "or?ders"


def test_a_cause_in_words_or_as_an_object_is_kept_as_text() -> None:
    record = RawTask(partitions=(0, 1)).report()
    record["parts"][0][2:4] = ["stalled", "not_leader"]
    record["parts"][1][2:4] = ["failed", {"code": "denied"}]
    _, groups = run([record])

    assert {group.now.cause for group in groups} == {"not_leader", '{"code":"denied"}'}


def test_gap_records_are_handed_on() -> None:
    fields = {
        "topic": "orders",
        "topic_id": "aa",
        "partition": 4,
        "cause": "retention",
        "from_offset": 5,
        "to_offset": None,
        "count": None,
        "detected_ms": START_MS,
        "policy": "stop",
    }
    heads, _ = run([RawTask().envelope(kind="gap", **fields)])

    gaps = [gap for head in heads for gap in head.gaps]
    known = {name: value for name, value in fields.items() if value is not None}
    assert gaps == [{**known, "source": "a", "target": "b"}]


def test_kinds_without_tiles_move_the_offset_only() -> None:
    heads, groups = run([RawTask().envelope(kind=kind, seq=1) for kind in ("connector", "driver")])

    assert groups == []
    assert [(head.first_offset, head.last_offset, head.bad, head.side) for head in heads] == [(0, 1, 0, ())]


def test_small_kinds_and_counters_are_handed_on_once_each() -> None:
    task = RawTask()
    beat = task.envelope(kind="heartbeat", task="a/heartbeat/0", seq=4, sent_ms=1, age_ms=25, text="x" * 1_000)
    event = task.envelope(kind="event", seq=5, events=[])
    counted = task.envelope(seq=6, topics=[], parts=[], counters={"resent_records": 3})
    stray = task.envelope(kind="event", seq=7, boot=None)
    foreign = task.envelope(kind="group", seq=8, target="elsewhere", groups=[])

    heads, groups = run([beat, beat, event, counted, stray, foreign], last_seqs={SeqKey("a/source/0", "boot-1", 0): 4})

    side = [record.fields for head in heads for record in head.side]
    assert groups == []
    assert sorted(record["kind"] for record in side) == ["counters", "event", "heartbeat"]
    assert next(record for record in side if record["kind"] == "counters")["counters"] == {"resent_records": 3}
    assert {head.task: head.seq for head in heads if head.task} == {"a/heartbeat/0": 4, "a/source/0": 6}
    assert sum(head.bad for head in heads) == 2


def test_many_tasks_and_partitions_in_one_batch_stay_apart() -> None:
    tasks = [
        RawTask(slot=slot, topic=f"topic-{slot % 7}", partitions=tuple(range(slot, slot + 5))) for slot in range(30)
    ]
    heads, groups = run([task.report() for _ in range(4) for task in tasks])

    assert sum(group.sums.records for group in groups) == 30 * 5 * 4 * 10
    assert len({group.key for group in groups}) == len({(t.topic, p) for t in tasks for p in t.partitions})
    assert sorted((head.task or "", head.seq or 0) for head in heads) == sorted((task.task, 4) for task in tasks)


def test_the_histogram_of_the_builder_is_the_one_of_the_contract() -> None:
    expected = Histogram()
    for ms in (0, 1, 2, 4, 16, 32):
        expected.add(ms)
    assert json.dumps(histogram(0, 1, 2, 4, 16, 32)) == json.dumps(expected.to_list())
