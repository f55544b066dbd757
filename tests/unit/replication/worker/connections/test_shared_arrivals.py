"""Arrivals of heartbeats: one reading for all flows, renewed every second, without topics that no one asks about."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from replication.worker.connections.shared_arrivals import FORGET_S, SharedArrivals


@dataclass
class Times:
    readings: list[set[str]] = field(default_factory=list)

    def newest_ms(self, topics: Collection[str]) -> Mapping[str, int]:
        self.readings.append(set(topics))
        return {topic: len(self.readings) for topic in topics if topic != "missing"}

    def close(self) -> None:
        return


@dataclass
class Bench:
    now_s: float = 100.0

    def __post_init__(self) -> None:
        self.times = Times()
        self.arrivals = SharedArrivals(self.times, lambda: self.now_s)


def test_flows_share_a_reading_for_a_second() -> None:
    bench = Bench()
    for topic in ("a", "b"):
        bench.arrivals.newest_ms(topic)
    bench.now_s += 1

    assert [bench.arrivals.newest_ms(topic) for topic in ("a", "b", "a")] == [3, 3, 3]
    assert bench.times.readings == [{"a"}, {"a", "b"}, {"a", "b"}]


def test_a_missing_topic_has_no_newest_record_and_is_not_read_at_each_call() -> None:
    bench = Bench()

    assert [bench.arrivals.newest_ms("missing") for _ in range(3)] == [None, None, None]
    assert len(bench.times.readings) == 1


def test_topics_that_no_flow_asks_about_are_forgotten() -> None:
    bench = Bench()
    bench.arrivals.newest_ms("a")
    bench.now_s += FORGET_S

    bench.arrivals.newest_ms("b")

    assert bench.times.readings[-1] == {"b"}
