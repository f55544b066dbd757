"""Frames of a live topic follow each other without a hole."""

import json

from srm_service.live.frames import TopicFrames


def test_a_delta_holds_only_what_changed() -> None:
    frames = TopicFrames("flows", ["key", "value"], "epoch")
    frames.replace({"a": ["a", 1], "b": ["b", 1]})

    delta = json.loads(frames.delta({"a": ["a", 2], "b": ["b", 1], "c": ["c", 1]}, 5))

    assert delta["rows"] == [["a", 2], ["c", 1]]
    assert delta["removed"] == []


def test_a_row_that_is_gone_is_removed_once() -> None:
    frames = TopicFrames("flows", ["key"], "epoch")
    frames.replace({"a": ["a"]})

    assert json.loads(frames.delta({}, 5))["removed"] == ["a"]
    assert json.loads(frames.delta({}, 6))["removed"] == []


def test_a_snapshot_does_not_count_so_that_the_next_delta_follows_it() -> None:
    frames = TopicFrames("flows", ["key"], "epoch")
    frames.delta({}, 1)

    first, second = json.loads(frames.snapshot(2)), json.loads(frames.snapshot(2))
    delta = json.loads(frames.delta({}, 3))

    assert first["seq"] == second["seq"] == 1
    assert delta["seq"] == 2


def test_only_the_newest_events_are_kept() -> None:
    frames = TopicFrames("events", ["key"], "epoch")
    for number in range(5):
        frames.event([str(number)], number, keep=2)

    assert json.loads(frames.snapshot(9))["rows"] == [["3"], ["4"]]
