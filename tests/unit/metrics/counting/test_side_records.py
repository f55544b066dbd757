import json
from typing import Any

import pytest

from metrics.counting.group_rows import SeriesKey, SideRecord
from metrics.counting.records import parsed_record
from metrics.counting.side_records import HEARTBEAT_AGE, GroupReading, SideSums, StateEvent, group_series, side_sums

TO_MS = 1_790_000_005_000
TILE_MS = 1_790_000_000_000
FLOW = SeriesKey("a", "b", "", "", -1)


def sums(*records: dict[str, Any]) -> SideSums:
    envelope = {"source": "a", "target": "b", "task": "a/source/0", "driver": "d", "to_ms": TO_MS}
    return side_sums((index, side_record({**envelope, **record})) for index, record in enumerate(records))


def side_record(record: dict[str, Any]) -> SideRecord:
    text = json.dumps(record)
    return SideRecord(parsed_record(text), text)


def test_heartbeat_ages_of_a_tile_are_one_gauge_and_an_unknown_age_is_none() -> None:
    found = sums(*({"kind": "heartbeat", "sent_ms": 1, "age_ms": age} for age in (40, 10, None, 20)))

    gauge = found.gauges[FLOW, HEARTBEAT_AGE, TILE_MS]
    assert (gauge.count, gauge.min, gauge.max, gauge.sum, gauge.last) == (3, 10, 40, 70, 20)


def test_counters_add_up_by_name() -> None:
    found = sums({"kind": "counters", "counters": {"refused": 2}}, {"kind": "counters", "counters": {"refused": 3}})

    assert found.gauges[FLOW, "refused", TILE_MS].sum == 5


def test_an_event_is_kept_with_its_cause() -> None:
    fields = [TO_MS, "partition", "orders", 3, "replicating", "stalled", "not_leader", "the leader moved"]

    found = sums({"kind": "event", "events": [[*fields, "from the future"]]})

    assert found.events == [
        StateEvent(
            source="a",
            task="a/source/0",
            driver="d",
            time_ms=TO_MS,
            scope="partition",
            topic="orders",
            partition=3,
            from_state="replicating",
            to_state="stalled",
            cause="not_leader",
            text="the leader moved",
        )
    ]


def test_groups_have_their_offsets_and_a_tile_with_the_latency_of_checkpoints() -> None:
    latency = [2, 100, 200, 300, 0, {"26": 1, "30": 1}]

    found = sums(
        {
            "kind": "group",
            "groups": [["billing", "orders", 0, 90, 80, 100, latency], ["billing", "orders", 1, 5, 5, 7, None]],
        }
    )

    assert found.groups["a", "billing", "orders", 0] == GroupReading(
        committed=90, checkpointed=80, log_end=100, latency_ms=200, last_ms=TO_MS
    )
    tile = found.group_tiles[group_series("a", "b", "billing"), TILE_MS]
    assert (tile.lag_last, tile.records, tile.latency.to_list()) == (12, 2, latency)


def test_an_unreadable_record_is_bad_and_its_neighbours_count() -> None:
    found = sums(
        {"kind": "heartbeat"},
        {"kind": "heartbeat", "age_ms": -5},
        {"kind": "heartbeat", "age_ms": "soon"},
        {"kind": "counters", "counters": 3},
        {"kind": "event", "events": [[1]]},
        {"kind": "group", "groups": [["g", "t", 0, 1, 1, 1, [1, 2]]]},
        {"kind": "group", "groups": [["", "t", 0, 1, 1, 1, None]]},
        {"kind": "heartbeat", "age_ms": 7},
    )

    assert [index for index, _ in found.bad] == [0, 1, 2, 3, 4, 5, 6]
    assert found.gauges[FLOW, HEARTBEAT_AGE, TILE_MS].sum == 7
    assert not found.events
    assert not found.group_tiles


@pytest.mark.parametrize(
    "latency",
    ["[1,1,1,1e999,0,{}]", f"[1,1,1,{1 << 70},0,{{}}]", '[1,1,1,1,0,{"9999":1}]', '[1,1,1,1,0,{"3":-1}]'],
    ids=["endless", "huge", "no such bucket", "negative"],
)
def test_a_histogram_that_the_store_cannot_hold_is_bad(latency: str) -> None:
    text = f'{{"kind":"group","source":"a","target":"b","to_ms":{TO_MS},"groups":[["g","t",0,1,1,1,{latency}]]}}'

    found = side_sums([(0, SideRecord(json.loads(text), text))])

    assert len(found.bad) == 1
    assert not found.group_tiles


def test_texts_without_a_utf_8_form_are_replaced() -> None:
    fields = [TO_MS, "partition", "\ud800", 3, None, "failed", None, "half a pair \ud800, a whole one \U0001f600"]

    found = sums({"kind": "event", "events": [fields]}, {"kind": "counters", "counters": {"refused\udfff": 1}})

    assert (found.events[0].topic, found.events[0].text) == ("?", "half a pair ?, a whole one \U0001f600")
    assert [name for _, name, _ in found.gauges] == ["refused?"]


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "group", "groups": [["g" * 3_000, "t", 0, 1, 1, 1, None]]},
        {"kind": "counters", "counters": {"x" * 3_000: 1}},
        {"kind": "counters", "counters": {"x": 1 << 50}},
    ],
    ids=["group name", "counter name", "counter"],
)
def test_what_a_column_cannot_hold_is_bad(record: dict[str, Any]) -> None:
    assert len(sums(record).bad) == 1


def test_counters_nested_beyond_reading_are_bad() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]

    found = side_sums([(7, SideRecord({"kind": "counters", "counters": {"x": nested}}, "{"))])

    assert [index for index, _ in found.bad] == [7]
