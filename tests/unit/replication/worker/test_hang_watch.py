"""A driver process that hangs ends, even if it holds the interpreter lock for ever."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from replication.worker.engine.data_engine import WireDataEngine
from replication.worker.hang_watch import HangWatch
from tests.support.eventually import eventually

_HANGING = """
import re
from replication.worker.hang_watch import HangWatch
HangWatch(1).beat()
re.fullmatch("([a-z]+)+-prod", "a" * 60)
"""


def test_a_process_that_hangs_with_the_interpreter_lock_ends_with_its_stack() -> None:
    ended = subprocess.run([sys.executable, "-c", _HANGING], capture_output=True, text=True, timeout=120, check=False)

    assert ended.returncode != 0
    assert "fullmatch" in ended.stderr


def test_a_silent_loop_ends_the_process() -> None:
    ends: list[str] = []
    watch = HangWatch(30, lambda: 31.0, lambda: ends.append("ended"))

    watch.beat()
    watch.stop()

    assert ends == ["ended"]


def test_the_tasks_are_handed_over_before_the_process_ends() -> None:
    done: list[str] = []
    watch = HangWatch(30, lambda: 31.0, lambda: done.append("ended"), hand_over=lambda: done.append("handed over"))

    watch.beat()

    assert done == ["handed over", "ended"]


@pytest.mark.parametrize("fault", ["an error", "no answer"])
def test_a_process_that_cannot_hand_over_ends_all_the_same(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replication.worker.hang_watch._HAND_OVER_S", 0.1)
    ended = threading.Event()

    def hand_over() -> None:
        if fault == "an error":
            raise ConnectionError("Redis is away")
        assert ended.wait(30)

    HangWatch(30, lambda: 31.0, ended.set, hand_over=hand_over).beat()

    assert ended.is_set()


def test_without_a_limit_nothing_is_watched() -> None:
    watch = HangWatch(0, lambda: 1_000_000.0, lambda: None)

    watch.beat()
    watch.stop()


@pytest.mark.parametrize("limit_s", [0, 30])
def test_a_beat_is_passed_on_to_the_supervisor(limit_s: int) -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    watch = HangWatch(limit_s, beat_fd=writer)

    watch.beat()
    watch.stop()

    assert os.read(reader, 10) == b"."
    os.close(reader)
    watch.beat()  # the supervisor has ended
    watch.stop()
    os.close(writer)


def test_a_number_that_is_no_pipe_is_left_alone(tmp_path: Path) -> None:
    with (tmp_path / "positions").open("wb") as file:
        watch = HangWatch(0, beat_fd=file.fileno())
        watch.beat()
    HangWatch(0, beat_fd=9_999).beat()

    assert (tmp_path / "positions").read_bytes() == b""


def test_the_loop_of_the_engine_beats_until_something_holds_it() -> None:
    engine, hold = WireDataEngine("unit"), threading.Event()

    def hold_the_loop() -> None:
        hold.wait(60)

    engine.start()
    try:
        eventually(lambda: len(engine._loop_beat._late_s) > 0, 30, "a beat")
        engine._loop.call_threadsafe(hold_the_loop)
        eventually(lambda: engine.silent_s() > 2.5, 60, "silence of a held loop")
        hold.set()
        eventually(lambda: engine.silent_s() < 2.5, 30, "the next beat")
        assert engine.loop_lag_ms() >= 1_500
    finally:
        hold.set()
        engine.stop(2.0)
