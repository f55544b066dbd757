"""The specification of a slot, made from flow and plan."""

from dataclasses import replace

import pytest

from replication.domain.control.orders import Hold, Reset, RestartOrder, Stop, TopicThrottle
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, PolicyChoice
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.plan_document import PlanDocument, PlanTopic
from replication.domain.plan.slot import ClusterClient, SlotSpec
from replication.worker.engine.slot_spec import build_slot_spec, is_live_change, without_stopped

SOURCE = ClusterClient(alias="east", bootstrap=("e:1",))
TARGET = ClusterClient(alias="west", bootstrap=("w:1",))
TOPIC = PlanTopic(
    upstream="orders",
    remote="east.orders",
    topic_id=bytes(range(16)),
    partitions=3,
    max_message_bytes=1_000,
    timestamp_type="LogAppendTime",
)
PLAN = PlanDocument(
    target="west",
    source="east",
    generation=4,
    version=2,
    desired_revision=1,
    planned_ms=0,
    tasks_max=2,
    topics=(TOPIC,),
    slots=(((0, 0), (0, 2)), ((0, 1),)),
    older_slots=5,
)


def flow(**source_settings: str) -> DesiredFlow:
    settings = {name.replace("__", "-").replace("_", "."): value for name, value in source_settings.items()}
    return DesiredFlow(source="east", connectors=ConnectorSettings(source=settings))


def test_a_slot_gets_its_partitions_and_the_plan_it_belongs_to() -> None:
    spec = build_slot_spec(flow(), PLAN, 0, SOURCE, TARGET)

    assert [part.upstream for part in spec.partitions] == [TopicPartition("orders", 0), TopicPartition("orders", 2)]
    assert (spec.generation, spec.plan_version, spec.transactional_id) == (4, 2, "srm.west.east.0.g4")
    assert spec.partitions[0].timestamp_type == "LogAppendTime"


def test_a_slot_knows_how_many_slots_earlier_releases_may_run_and_need_not_restart_for_more() -> None:
    spec = build_slot_spec(flow(), PLAN, 0, SOURCE, TARGET)
    alone = build_slot_spec(flow(), replace(PLAN, older_slots=0), 0, SOURCE, TARGET)

    assert (spec.slots_without_generation, alone.slots_without_generation) == (5, 2)
    assert is_live_change(alone, spec)


def test_limits_of_fetches_and_the_setting_without_syncs_reach_the_slot() -> None:
    settings = {"consumer_fetch_max_bytes": "5000", "emit_offset__syncs_enabled": "false"}
    spec = build_slot_spec(flow(**settings), PLAN, 0, SOURCE, TARGET)

    assert spec.fetch_limits.max_bytes == 5000
    assert not spec.writes_offset_syncs
    assert build_slot_spec(flow(), PLAN, 0, SOURCE, TARGET).writes_offset_syncs


def test_delivery_settings_reach_the_slot_and_restart_it_when_they_change() -> None:
    settings = {"transaction_boundary_interval_ms": "500", "errors_tolerance": "all"}
    plain = build_slot_spec(flow(), PLAN, 0, SOURCE, TARGET)
    spec = build_slot_spec(replace(flow(**settings), delivery="exactly_once"), PLAN, 0, SOURCE, TARGET)

    assert (spec.delivery, spec.isolation_level, spec.transaction_interval_ms) == (
        "exactly_once",
        "read_committed",
        500,
    )
    assert spec.errors.policy == "skip"
    assert (plain.delivery, plain.transaction_interval_ms, plain.errors.policy) == (
        "at_least_once",
        200,
        "stop_partition",
    )
    assert not is_live_change(plain, spec)


def test_offset_syncs_are_found_under_the_separator_the_planner_uses() -> None:
    policy = PolicyChoice(separator="__")
    plain = replace(flow(), policy=policy)
    dotted = replace(flow(replication_policy_internal_topic_separator_enabled="false"), policy=policy)

    assert build_slot_spec(plain, PLAN, 0, SOURCE, TARGET).offset_syncs_topic == "mm2-offset-syncs__west__internal"
    assert build_slot_spec(dotted, PLAN, 0, SOURCE, TARGET).offset_syncs_topic == "mm2-offset-syncs.west.internal"


@pytest.mark.parametrize(
    ("settings", "topic", "on_target"),
    [
        ({}, "mm2-offset-syncs.west.internal", False),
        ({"offset__syncs_topic_location": "target"}, "mm2-offset-syncs.east.internal", True),
    ],
    ids=["on the source", "on the target"],
)
def test_offset_syncs_are_named_after_the_other_cluster(settings: dict[str, str], topic: str, on_target: bool) -> None:
    spec = build_slot_spec(flow(**settings), PLAN, 0, SOURCE, TARGET)

    assert (spec.offset_syncs_topic, spec.offset_syncs_on_target) == (topic, on_target)


def test_exactly_once_reads_committed_data_with_any_isolation_level() -> None:
    exactly_once = replace(flow(consumer_isolation_level="read_uncommitted"), delivery="exactly_once")

    assert build_slot_spec(exactly_once, PLAN, 0, SOURCE, TARGET).isolation_level == "read_committed"
    assert build_slot_spec(flow(), PLAN, 0, SOURCE, TARGET).isolation_level == "read_uncommitted"


@pytest.mark.parametrize("value", ["many", "-1"])
def test_a_setting_that_is_no_number_is_named(value: str) -> None:
    with pytest.raises(ValueError, match=r"offset\.lag\.max"):
        build_slot_spec(flow(offset_lag_max=value), PLAN, 0, SOURCE, TARGET)


def test_a_change_of_partitions_or_orders_spares_the_restart() -> None:
    spec = build_slot_spec(flow(), PLAN, 0, SOURCE, TARGET)

    assert is_live_change(spec, replace(spec, plan_version=3, partitions=()))
    assert not is_live_change(spec, replace(spec, gap_policy="stop"))
    assert not is_live_change(spec, replace(spec, generation=5))


def test_every_slot_gets_its_share_of_the_throttle_and_the_schedule() -> None:
    throttled = replace(
        flow(srm_throttle_rate="10MB", srm_throttle_schedule="08:00-18:00=2MB"), throttle_bytes_per_second=5_000_000
    )

    throttle = build_slot_spec(throttled, PLAN, 0, SOURCE, TARGET).throttle

    assert (throttle.share_at(0), throttle.share_at(9 * 3_600_000)) == (2_500_000, 1_000_000)


def test_without_a_limit_of_its_own_a_flow_takes_the_one_of_its_settings() -> None:
    throttle = build_slot_spec(flow(srm_throttle_rate="10MB"), PLAN, 0, SOURCE, TARGET).throttle

    assert throttle.share_at(0) == 5_000_000


@pytest.mark.parametrize("setting", ["srm_start_offsets", "srm_throttle_rate", "srm_throttle_schedule"])
def test_an_order_that_cannot_be_read_is_named(setting: str) -> None:
    with pytest.raises(ValueError, match=setting.replace("_", r"\.")):
        build_slot_spec(flow(**{setting: "nonsense"}), PLAN, 0, SOURCE, TARGET)


def test_holds_resets_and_the_throttle_change_on_a_running_slot() -> None:
    spec = build_slot_spec(flow(), PLAN, 0, SOURCE, TARGET)
    ordered = replace(
        flow(srm_throttle_rate="1MB"),
        holds=(Hold(topic="orders"),),
        resets=(Reset(id="r", topic="orders", partition=0, to="latest"),),
    )

    assert is_live_change(spec, build_slot_spec(ordered, PLAN, 0, SOURCE, TARGET))


def test_a_slot_takes_its_shares_of_the_throttles_of_its_topics_over_while_it_runs() -> None:
    throttled = replace(
        flow(),
        topic_throttles=(
            TopicThrottle(topic="orders", bytes_per_second=3_000),
            TopicThrottle(topic="orders", partition=1, bytes_per_second=900),
            TopicThrottle(topic="unknown", bytes_per_second=1),
        ),
    )
    before = build_slot_spec(flow(), PLAN, 0, SOURCE, TARGET)
    specs = [build_slot_spec(throttled, PLAN, slot, SOURCE, TARGET) for slot in (0, 1)]

    assert [[(each.partition, each.bytes_per_second) for each in spec.topic_throttles] for spec in specs] == [
        [(None, 2_000)],
        [(None, 1_000), (1, 900)],
    ]
    assert is_live_change(before, specs[0])


def test_a_stopped_partition_leaves_its_running_slot() -> None:
    spec = build_slot_spec(flow(), PLAN, 0, SOURCE, TARGET)
    stopped = without_stopped(spec, (Stop(topic="orders", partition=2),))

    assert [part.upstream.partition for part in stopped.partitions] == [0]
    assert without_stopped(spec, (Stop(topic="orders"),)).partitions == ()
    assert is_live_change(spec, stopped)


def test_a_stopped_partition_that_moves_is_not_copied_until_its_next_slot_runs() -> None:
    moved = ((TopicPartition("bills", 0), 1), (TopicPartition("orders", 7), 1))
    spec = replace(build_slot_spec(flow(), PLAN, 0, SOURCE, TARGET), moved_away=moved)

    assert without_stopped(spec, (Stop(topic="orders", partition=7),)).moved_away == moved[:1]


def test_a_restart_of_one_task_concerns_no_other_and_an_order_that_is_forgotten_restarts_nothing() -> None:
    ordered = replace(
        flow(), restarts=(RestartOrder(id="one", task=0), RestartOrder(id="part", topic="orders", partition=1))
    )
    before, after = (
        [build_slot_spec(each, PLAN, slot, SOURCE, TARGET) for slot in (0, 1)] for each in (flow(), ordered)
    )

    assert [is_live_change(*specs) for specs in zip(before, after, strict=True)] == [False, True]
    assert [is_live_change(*specs) for specs in zip(after, before, strict=True)] == [True, True]
    assert [restart.id for restart in after[1].restarts] == ["part"]


def test_a_throttle_with_an_end_leaves_the_rate_of_the_settings_behind_it() -> None:
    ordered = replace(flow(srm_throttle_rate="1MB"), throttle_bytes_per_second=500, throttle_until_ms=1_000)
    throttle = build_slot_spec(ordered, PLAN, 0, SOURCE, TARGET).throttle

    assert (throttle.share_at(999), throttle.share_at(1_000)) == (250, 500_000)


@pytest.mark.parametrize(
    ("policy", "remote", "settings", "protection"),
    [
        pytest.param(PolicyChoice(), "east.orders", {}, "off", id="prefixed names tell a copy"),
        pytest.param(PolicyChoice(kind="identity"), "orders", {}, "producer_ids", id="equal names"),
        pytest.param(
            PolicyChoice(), "orders", {"srm_replication_policy": "theirs"}, "producer_ids", id="a policy of their own"
        ),
        pytest.param(PolicyChoice(kind="identity"), "orders", {"srm_loop_protection": "off"}, "off", id="switched off"),
    ],
)
def test_flows_that_keep_names_are_guarded_against_loops(
    policy: PolicyChoice, remote: str, settings: dict[str, str], protection: str
) -> None:
    plan = replace(PLAN, topics=(replace(TOPIC, remote=remote),))

    spec = build_slot_spec(replace(flow(**settings), policy=policy), plan, 0, SOURCE, TARGET)

    assert spec.records.loop_protection == protection


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"srm_compression": "brotli"}, r"srm\.compression must be one of keep"),
        ({"srm_rebatching": "often"}, r"srm\.rebatching must be one of adaptive"),
        ({"transforms": "a"}, r"transforms\.a\.type is missing"),
    ],
)
def test_an_invalid_record_setting_is_named(settings: dict[str, str], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        build_slot_spec(flow(**settings), PLAN, 0, SOURCE, TARGET)


@pytest.mark.parametrize("side", ["source", "target"])
def test_another_login_is_taken_over_live_and_another_way_to_the_cluster_is_not(side: str) -> None:
    spec = build_slot_spec(flow(), PLAN, 0, SOURCE, TARGET)
    client = {"security.protocol": "SASL_SSL", "sasl.jaas.config": "one", "ssl.keystore.key": "two"}
    known = replace(getattr(spec, side), client=client)
    before = replace(spec, **{side: known})

    def changed(**client: str) -> SlotSpec:
        settings = {key.replace("_", "."): value for key, value in client.items()}
        return replace(spec, **{side: replace(known, client=known.client | settings)})

    assert is_live_change(before, changed(sasl_jaas_config="other", sasl_mechanism="PLAIN", ssl_keystore_key="other"))
    assert not is_live_change(before, changed(security_protocol="SSL"))
    assert not is_live_change(before, changed(client_rack="r1"))
    assert not is_live_change(before, replace(spec, **{side: replace(known, bootstrap=("other:1",))}))
