"""A value is allowed or refused by the file reader, the checks before a start, the planner and the slot alike."""

from dataclasses import replace
from pathlib import Path

import pytest

from replication.config import ConfigError, load
from replication.connectors.plan.source_settings import SourceSettings
from replication.connectors.preflight import setting_findings
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow
from replication.domain.errors import ConfigurationError
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.slot import ClusterClient, SlotSpec
from replication.domain.settings.setting_error import REMEDY
from replication.worker.engine.slot_spec import build_slot_spec

FILE = """
clusters = east, west
east.bootstrap.servers = e1:9092
west.bootstrap.servers = w1:9092
east->west.enabled = true
"""
EAST = ClusterClient(alias="east", bootstrap=("e:1",))
WEST = ClusterClient(alias="west", bootstrap=("w:1",))
PLAN = PlanDocument(
    target="west",
    source="east",
    generation=0,
    version=1,
    desired_revision=1,
    planned_ms=0,
    tasks_max=1,
    topics=(),
    slots=((),),
    older_slots=1,
)
# the slot reads these, and so does the file reader; planner and checks know all settings
REFUSED = [
    ("srm.loop.protection", "none"),
    ("srm.loop.protection", "false"),
    ("srm.loop.protection", ""),
    ("emit.offset-syncs.enabled", "no"),
    ("emit.offset-syncs.enabled", "0"),
    ("emit.offset-syncs.enabled", ""),
    ("copy.source.offset.in.header.enabled", "yes"),
    ("replication.policy.internal.topic.separator.enabled", "off"),
    ("offset-syncs.topic.location", "both"),
    ("consumer.isolation.level", "committed"),
    ("consumer.fetch.max.bytes", "-1"),
    ("consumer.fetch.max.bytes", ""),
    ("consumer.fetch.max.wait.ms", "²"),
    ("offset.lag.max", "1_000"),
    ("offset.lag.max", "-1"),
    ("errors.retry.timeout", "-5"),
    ("errors.retry.delay.max.ms", "-1"),
    ("errors.tolerance", ""),
    ("srm.errors.deadletters.unmasked", ""),
    ("srm.transaction.interval.ms", "5"),
    ("srm.linger.ms", "1_0"),
    ("srm.throttle.rate", "99999999999GB"),
    ("srm.throttle.rate", ""),
    ("srm.compression", "brotli"),
    ("srm.start.offsets", "orders=1"),
]
PLANNER_ONLY = [
    ("use.defaults.from", ""),
    ("replication.factor", "0"),
    ("refresh.topics.interval.seconds", "0"),
    ("sync.topic.acls.enabled", "yes"),
    ("srm.internal.topics.rule", "kafka5"),
    ("config.properties.exclude", "["),
    ("srm.audit.schedule", "often"),
]
ALLOWED = [
    ("srm.loop.protection", " AUTO "),
    ("emit.offset-syncs.enabled", "FALSE"),
    ("copy.source.offset.in.header.enabled", "True"),
    ("offset-syncs.topic.location", "Target"),
    ("consumer.isolation.level", "READ_COMMITTED"),
    ("offset.lag.max", "0"),
    ("errors.retry.timeout", "0"),
    ("errors.retry.timeout", "-1"),
    ("errors.retry.delay.max.ms", "0"),
    ("errors.deadletterqueue.topic.name", ""),
    ("srm.errors.policy", ""),
    ("srm.errors.policy", "SKIP"),
    ("srm.compression", "ZSTD"),
    ("srm.rebatching", "Off"),
    ("srm.audit.schedule", ""),
    ("transforms", ""),
]


def read_file(folder: Path, key: str, value: str) -> dict[str, str]:
    path = folder / "mm2.properties"
    path.write_text(f"{FILE}east->west.{key} = {value}\n")
    (flow,) = (flow for flow in load(path).flows if flow.enabled)
    return flow.connectors["source"]


def slot(settings: dict[str, str]) -> SlotSpec:
    return build_slot_spec(flow_with(settings), PLAN, 0, EAST, WEST)


def flow_with(settings: dict[str, str]) -> DesiredFlow:
    return DesiredFlow(source="east", connectors=ConnectorSettings(source=settings))


@pytest.mark.parametrize(("key", "value"), [*REFUSED, *PLANNER_ONLY])
def test_the_file_the_checks_and_the_planner_refuse_the_same_values(tmp_path: Path, key: str, value: str) -> None:
    settings = {key: value}
    with pytest.raises(ConfigError) as of_file:
        read_file(tmp_path, key, value)
    with pytest.raises(ConfigurationError) as of_planner:
        SourceSettings.of(settings)
    (finding,) = setting_findings(flow_with(settings))

    (of_line,) = of_file.value.findings
    assert (of_line.key, of_line.line) == (f"east->west.{key}", 6)
    assert of_planner.value.text == finding.text == f"{key} {of_line.message}; {REMEDY}"


@pytest.mark.parametrize(("key", "value"), REFUSED)
def test_the_slot_refuses_them_with_the_planners_words(key: str, value: str) -> None:
    with pytest.raises(ConfigurationError) as of_planner:
        SourceSettings.of({key: value})
    with pytest.raises(ValueError) as of_slot:
        slot({key: value})

    assert str(of_slot.value) == of_planner.value.text


@pytest.mark.parametrize(("key", "value"), ALLOWED)
def test_all_of_them_take_what_is_allowed(tmp_path: Path, key: str, value: str) -> None:
    settings = read_file(tmp_path, key, value)

    assert settings[key] == value.strip()
    assert SourceSettings.of({key: value}) == SourceSettings.of(settings)
    assert slot({key: value}) == slot(settings)
    assert setting_findings(flow_with({key: value})) == ()


def test_planner_and_slot_read_the_same_value() -> None:
    settings = {
        "emit.offset-syncs.enabled": "False",
        "offset-syncs.topic.location": "TARGET",
        "srm.loop.protection": "Off",
        "consumer.isolation.level": " Read_Committed",
    }
    planned, spec = SourceSettings.of(settings), slot(settings)

    assert (planned.writes_offset_syncs, spec.writes_offset_syncs) == (False, False)
    assert (planned.offset_syncs_on_target, spec.offset_syncs_on_target) == (True, True)
    assert (planned.loop_protection, spec.records.loop_protection) == (False, "off")
    assert spec.isolation_level == "read_committed"


def test_checks_before_a_start_name_every_invalid_setting_of_all_connectors() -> None:
    connectors = ConnectorSettings(
        source={"offset.lag.max": "many", "transforms.a.type": "filter"},
        heartbeat={"emit.heartbeats.interval.seconds": "0"},
    )

    texts = [finding.text for finding in setting_findings(replace(flow_with({}), connectors=connectors))]

    assert [text.split()[0] for text in texts] == [
        "offset.lag.max",
        "transforms.a.type",
        "emit.heartbeats.interval.seconds",
    ]
