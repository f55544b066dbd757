"""Start, throttle and audit schedule of a flow, from a properties file."""

from pathlib import Path

import pytest

from replication.config.files.loader import load
from replication.config.flows.model import ConfigError, FlowDefinition

BASE = """
clusters = east, west
east.bootstrap.servers = e1:9092
west.bootstrap.servers = w1:9092
east->west.enabled = true
"""


def flow_of(tmp_path: Path, text: str) -> FlowDefinition:
    path = tmp_path / "mm2.properties"
    path.write_text(BASE + text)
    return next(flow for flow in load(path).flows if flow.source == "east")


@pytest.mark.parametrize(
    ("line", "start"),
    [
        ("srm.start = latest", "latest"),
        ("east->west.srm.start = 2026-01-31T00:00:00Z", 1_769_817_600_000),
        ("east->west.consumer.auto.offset.reset = latest", "latest"),
        ("srm.start = earliest\neast->west.consumer.auto.offset.reset = latest", "earliest"),
        ("", "earliest"),
    ],
)
def test_our_start_beats_the_consumers(tmp_path: Path, line: str, start: str | int) -> None:
    assert flow_of(tmp_path, line).start == start


@pytest.mark.parametrize("value", ["6h", "daily 02:30", ""])
def test_a_schedule_of_audits_is_kept_as_it_is_written(tmp_path: Path, value: str) -> None:
    source = flow_of(tmp_path, f"east->west.srm.audit.schedule = {value}").connectors["source"]

    assert source["srm.audit.schedule"] == value


def test_offsets_and_throttle_reach_the_source_task(tmp_path: Path) -> None:
    settings = {
        "srm.start.offsets": "orders:0=5",
        "srm.throttle.rate": "10MB",
        "srm.throttle.schedule": "8:00-9:00=1MB",
    }
    lines = "\n".join(f"east->west.{name} = {value}" for name, value in settings.items())

    source = flow_of(tmp_path, lines).connectors["source"]

    assert {name: source[name] for name in settings} == settings


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("srm.start = tomorrow", "2026-01-31T00:00:00Z"),
        ("srm.start.offsets = orders=5", "topic:partition=offset"),
        ("srm.throttle.rate = fast", "10MB"),
        ("srm.throttle.schedule = at night", "08:00-18:00=10MB"),
        ("srm.audit.schedule = often", "daily 02:30"),
        ("east->west.srm.audit.schedule = 99999h", "10m to 366d"),
        ("east->west.srm.audit.schedule = sunday 25:99", "sunday 02:30"),
        ("srm.audit.schedule = 0h", "10m to 366d"),
        ("srm.audit.schedule = 1s", "not '1s'"),
    ],
)
def test_a_slip_is_told_with_its_line_and_an_example(tmp_path: Path, line: str, part: str) -> None:
    with pytest.raises(ConfigError) as caught:
        flow_of(tmp_path, line)

    assert part in str(caught.value)
    assert caught.value.findings[0].line == 6
