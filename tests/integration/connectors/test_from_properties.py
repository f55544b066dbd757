"""From a MirrorMaker properties file to topics and records: which level of the file decides what."""

from pathlib import Path

import pytest

from replication.config import FlowDefinition, load
from srm_cli.system.desired_flows import cluster_clients, desired_flow
from tests.integration.connectors.conftest import Planning, copied
from tests.support.kafka.kafka_records import end_offsets, produce, read_all

pytestmark = pytest.mark.kafka

COMMON = r"""
clusters = {e}, {w}
{e}.bootstrap.servers = {source}
{w}.bootstrap.servers = {target}
{e}->{w}.enabled = true
emit.heartbeats.enabled = false
heartbeats.replication.enabled = false
replication.factor = 1
"""


def definition(planning: Planning, folder: Path, text: str) -> FlowDefinition:
    path = folder / "mm2.properties"
    words = {
        "e": planning.source_client.alias,
        "w": planning.target_client.alias,
        "mark": planning.mark,
        "source": planning.source_client.bootstrap[0],
        "target": planning.target_client.bootstrap[0],
    }
    for word, value in words.items():
        text = text.replace(f"{{{word}}}", value)
        path.write_text(COMMON.format(**words) + text)
    config = load(path)
    assert cluster_clients(config)[planning.source_client.alias] == planning.source_client
    (flow,) = config.flows
    return flow


def test_the_flows_level_beats_the_top_one_and_a_clusters_level_reaches_no_connector(
    planning: Planning, tmp_path: Path
) -> None:
    wanted = planning.create(f"{planning.mark}-orders", partitions=4, retention_ms="500000")
    planning.create(f"{planning.mark}-payments")
    flow = definition(
        planning,
        tmp_path,
        """
topics = {mark}-payments
{e}->{w}.topics = {mark}-orders
{e}.topics = {mark}-.*
tasks.max = 7
{e}->{w}.tasks.max = 2
sync.topic.configs.enabled = true
offset-syncs.topic.location = source
{e}->{w}.offset-syncs.topic.location = target
""",
    )

    plan = planning.connector_of(desired_flow(flow)).run_once(None, 0)

    assert copied(plan) == {wanted: planning.remote(wanted)}
    assert [len(slot) for slot in plan.slots] == [2, 2]
    assert f"mm2-offset-syncs.{planning.source_client.alias}.internal" in planning.target.list_topics()


def test_a_backslash_is_eaten_as_javas_reader_does_and_a_doubled_one_is_not(planning: Planning, tmp_path: Path) -> None:
    digits, letters = planning.create(f"{planning.mark}-7"), planning.create(f"{planning.mark}-d")
    single = definition(planning, tmp_path, r"topics = {mark}-\d")
    doubled = definition(planning, tmp_path, r"topics = {mark}-\\d")

    assert list(copied(planning.connector_of(desired_flow(single)).run_once(None, 0))) == [letters]
    assert list(copied(planning.connector_of(desired_flow(doubled)).run_once(None, 0))) == [digits]


@pytest.mark.parametrize(
    ("level", "copies"),
    [("{e}.consumer.", 0), ("{e}->{w}.consumer.", 0), ("{e}->{w}.source.consumer.", 0), ("consumer.", 3)],
)
def test_where_a_topic_without_position_begins_is_read_below_the_source_and_the_flow_but_not_at_the_top(
    planning: Planning, tmp_path: Path, level: str, copies: int
) -> None:
    topic = planning.create(f"{planning.mark}-orders")
    produce(planning.source_client.bootstrap[0], topic, [{"value": b"before"}] * 3)
    flow = definition(planning, tmp_path, f"topics = {{mark}}-orders\n{level}auto.offset.reset = latest\n")

    planning.copy(desired_flow(flow), copies)

    assert end_offsets(planning.target_client.bootstrap[0], planning.remote(topic), 1) == [copies]


@pytest.mark.parametrize(("level", "is_exact"), [("{w}.", True), ("{e}->{w}.", True), ("{e}.", False)])
def test_exactly_once_is_a_setting_of_the_target_or_of_the_flow(
    planning: Planning, tmp_path: Path, level: str, is_exact: bool
) -> None:
    topic = planning.create(f"{planning.mark}-orders")
    produce(planning.source_client.bootstrap[0], topic, [{"value": b"one"}] * 3)
    flow = definition(planning, tmp_path, f"topics = {{mark}}-.*\n{level}exactly.once.source.support = enabled\n")

    planning.copy(desired_flow(flow), 3)

    # the marker of a transaction has its own offset
    assert end_offsets(planning.target_client.bootstrap[0], planning.remote(topic), 1) == [4 if is_exact else 3]


def test_a_files_flow_copies_with_all_its_tasks_and_writes_syncs(planning: Planning, tmp_path: Path) -> None:
    topic = planning.create(f"{planning.mark}-orders", partitions=3)
    bootstrap = planning.source_client.bootstrap[0]
    produce(bootstrap, topic, [{"value": str(n).encode(), "partition": n % 3} for n in range(300)])
    flow = definition(planning, tmp_path, "topics = {mark}-.*\ntasks.max = 2\n")

    planning.copy(desired_flow(flow), 300)

    target = read_all(planning.target_client.bootstrap[0], planning.remote(topic), 3)
    assert [len(partition) for partition in target] == [100, 100, 100]
    assert end_offsets(bootstrap, f"mm2-offset-syncs.{planning.target_client.alias}.internal", 1)[0] >= 6
