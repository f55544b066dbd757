"""Topics change under the engine: re-created, overtaken, grown, refusing, forbidden, throttled. Each alone is hit."""

import uuid
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.plan.slot import ClusterClient
from srm_cli.dev_clusters.lifecycle import DevClusters
from tests.support.engine.auditor import (
    audit,
    audit_topic,
    committed_positions,
    excuses,
    log_starts,
    read_partitions,
    recorded_gaps,
)
from tests.support.engine.engine_fleet import SETTINGS, EngineFleet
from tests.support.engine.slots import SlotLab, level, until
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import admin, create_topic, delete_topic, end_offsets, produce
from tests.support.kafka.writer import Traffic, TransactionalTraffic, fault_seed, say
from tests.support.servers.listeners import (
    AUTHORIZER,
    TwoDoors,
    scram_client,
    set_client_quota,
    start_with_second_listener,
)

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.timeout(300)]

RATE = 1_000
PASSWORD = "the engine's"


@pytest.fixture
def lab(two_clusters: TwoClusters) -> Iterator[SlotLab]:
    slot_lab = SlotLab(two_clusters)
    yield slot_lab
    slot_lab.close()


def name(what: str) -> str:
    return f"{what}-{uuid.uuid4().hex[:6]}"


def numbered(first: int, end: int, partitions: int = 1, size: int = 100) -> list[dict[str, str | int]]:
    return [
        {"key": str(number), "value": f"{number}-{'x' * size}", "partition": number % partitions}
        for number in range(first, end)
    ]


def test_a_topic_grows_and_is_re_created_under_a_running_flow(
    engine_fleet: EngineFleet, two_clusters: TwoClusters
) -> None:
    source, target = two_clusters.source.bootstrap, two_clusters.target.bootstrap
    topic, alias = name("again"), name("a")
    remote = f"{alias}.{topic}"
    engine_fleet.cluster(alias, source)
    engine_fleet.cluster("b", target)
    flow = DesiredFlow(
        source=alias,
        heartbeats=False,
        topics=NamePatterns(allow=(topic,)),
        connectors=ConnectorSettings(source=SETTINGS),
    )
    create_topic(source, topic, 2)
    engine_fleet.publish("b", flow)
    engine_fleet.start("one", "control")
    engine_fleet.start("one", "data")
    with Traffic(source, topic, 2, RATE, seed=fault_seed()).flowing() as traffic:
        engine_fleet.wait_until("it is copied", lambda: min(end_offsets(target, remote, 2)) > 0)
        admin(source).create_partitions([NewPartitions(topic, 4)])[topic].result(10)
        traffic.partitions = 4
        engine_fleet.wait_until("new partitions are copied", lambda: min(end_offsets(target, remote, 4)) > 0)
        traffic.wait_for(RATE)
    engine_fleet.wait_level(alias, "b", topic, 4)
    first_life = read_partitions(source, topic, range(4))
    audit(first_life, read_partitions(target, remote, range(4))).check()

    delete_topic(source, topic)
    create_topic(source, topic, 4)
    produce(source, topic, numbered(1_000_000, 1_004_000, 4))
    engine_fleet.wait_level(alias, "b", topic, 4)
    second_life = read_partitions(source, topic, range(4))
    both = {number: [*first_life[number], *second_life[number]] for number in range(4)}
    say(f"{audit(both, read_partitions(target, remote, range(4))).check()}")
    gaps = [gap for gap in recorded_gaps(target, alias) if gap["topic"] == topic]
    assert {gap["cause"] for gap in gaps} == {"topic_recreated"}
    assert {gap["partition"]: gap["from_offset"] for gap in gaps} == {
        number: len(records) for number, records in first_life.items()
    }


def _is_committed(target: str, alias: str, topic: str, end: int) -> bool:
    return committed_positions(target, alias, topic).get(0) == end


def test_a_topic_re_created_with_another_number_of_partitions_leaves_its_neighbour_alone(
    engine_fleet: EngineFleet, two_clusters: TwoClusters
) -> None:
    source, target = two_clusters.source.bootstrap, two_clusters.target.bootstrap
    topic, beside, alias = name("size"), name("beside"), name("a")
    engine_fleet.cluster(alias, source)
    engine_fleet.cluster("b", target)
    flow = DesiredFlow(
        source=alias,
        heartbeats=False,
        topics=NamePatterns(allow=(topic, beside)),
        connectors=ConnectorSettings(source=SETTINGS),
    )
    create_topic(source, topic, 3)
    create_topic(source, beside, 2)
    engine_fleet.publish("b", flow)
    engine_fleet.start("one", "control")
    engine_fleet.start("one", "data")
    with Traffic(source, beside, 2, RATE, seed=fault_seed()).flowing() as traffic:
        for life, partitions in enumerate((1, 3, 2, 3)):
            records = 600 + life  # by its end a position shows which life it is of
            produce(source, topic, numbered(life * 10_000, life * 10_000 + records))
            engine_fleet.wait_until(
                f"{topic} copied to {records}",
                partial(_is_committed, target, alias, topic, records),
            )
            delete_topic(source, topic)
            create_topic(source, topic, partitions)
            traffic.wait_for(RATE)
        produce(source, topic, numbered(90_000, 90_600, 3))
        engine_fleet.wait_level(alias, "b", topic, 3)
    engine_fleet.wait_level(alias, "b", beside, 2)
    say(f"{audit_topic(source, target, beside, f'{alias}.{beside}', 2).check(duplicates_at_most=0)}")
    last = [record for part in read_partitions(target, f"{alias}.{topic}", range(3)).values() for record in part]
    assert {record.key for record in last} >= {str(number).encode() for number in range(90_000, 90_600)}


def test_what_retention_took_before_it_was_copied_is_in_a_gap_record_and_nothing_else(lab: SlotLab) -> None:
    topic = lab.topic(name("overtaken"), 2)
    produce(lab.source_bootstrap, topic, numbered(0, 1_000, 2))
    lab.copy_until(lab.spec({topic: 2}), level(1_000))
    produce(lab.source_bootstrap, topic, numbered(1_000, 3_000, 2))
    before = read_partitions(lab.source_bootstrap, topic, range(2))
    cut = [TopicPartition(topic, 0, 1_200), TopicPartition(topic, 1, 300)]  # behind the position, and before it
    for answer in admin(lab.source_bootstrap).delete_records(cut).values():
        answer.result(10)
    with lab.running(lab.spec({topic: 2})) as handle:
        produce(lab.source_bootstrap, topic, numbered(3_000, 4_000, 2))
        lab.wait_committed(handle, topic, 2)
    after = read_partitions(lab.source_bootstrap, topic, range(2))
    source = {number: sorted({*before[number], *after[number]}) for number in range(2)}
    target = read_partitions(lab.target_bootstrap, lab.remote(topic), range(2))
    gaps = recorded_gaps(lab.target_bootstrap, lab.source.alias)
    excused, untrue = excuses(gaps, topic, log_starts(lab.source_bootstrap, topic, range(2)))
    assert untrue == []
    findings = audit(source, target, excused=excused).check()
    assert findings.excused == [(0, offset) for offset in range(500, 1_200)]
    assert len(gaps) == 1
    say(f"retention: {findings}")


def test_aborted_transactions_stay_behind_when_the_flow_reads_committed(lab: SlotLab) -> None:
    topic = lab.topic(name("aborted"), 3)
    with lab.running(lab.spec({topic: 3}, isolation_level="read_committed")) as handle:
        traffic = TransactionalTraffic(lab.source_bootstrap, topic, 3, RATE, seed=fault_seed())
        with traffic.flowing():
            traffic.wait_for(4 * RATE)
        lab.wait_committed(handle, topic, 3)
    assert traffic.aborted > 0
    source = read_partitions(lab.source_bootstrap, topic, range(3))
    everything = read_partitions(lab.source_bootstrap, topic, range(3), committed=False)
    for committed in (True, False):  # invisible to every reader of the copy
        target = read_partitions(lab.target_bootstrap, lab.remote(topic), range(3), committed=committed)
        say(f"{audit(source, target, uncommitted=everything).check()}; {traffic.aborted} records were aborted")


def set_config(bootstrap: str, topic: str, key: str, value: str) -> None:
    entry = ConfigEntry(key, value, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic, incremental_configs=[entry])
    admin(bootstrap).incremental_alter_configs([resource])[resource].result(10)


def test_a_record_the_target_refuses_stops_its_partition_alone_and_names_its_offset(lab: SlotLab) -> None:
    topic, other = lab.topic(name("refused"), 2), lab.topic(name("neighbour"))
    set_config(lab.target_bootstrap, lab.remote(topic), "max.message.bytes", "50000")
    spec = lab.spec({topic: 2, other: 1})
    with lab.running(spec) as handle:
        produce(lab.source_bootstrap, topic, numbered(0, 200, 2))
        until(handle, level(200))
        produce(lab.source_bootstrap, topic, [{"key": "200", "value": "x" * 80_000, "partition": 0}])
        until(handle, lambda live: live["states"].get("failed") == 1)
        cause = handle.live()["cause"]
        assert (cause["topic"], cause["partition"]) == (topic, 0)
        assert "100" in cause["text"], cause  # its offset
        produce(lab.source_bootstrap, topic, numbered(201, 401, 2))
        produce(lab.source_bootstrap, other, numbered(0, 500))
        lab.wait_committed(handle, other, 1)
        until(handle, lambda live: live["records_total"] >= 200 + 500 + 100)
    set_config(lab.target_bootstrap, lab.remote(topic), "max.message.bytes", "1048588")
    with lab.running(spec) as handle:  # an operator has raised the limit and restarted the slot
        lab.wait_committed(handle, topic, 2)
    for each, partitions in ((topic, 2), (other, 1)):
        audit_topic(lab.source_bootstrap, lab.target_bootstrap, each, lab.remote(each), partitions).check()


@pytest.mark.parametrize(
    ("delivery", "limited"),
    [("at_least_once", "producer"), ("exactly_once", "producer"), ("at_least_once", "consumer")],
)
def test_a_flow_over_its_quota_says_so_and_loses_nothing(
    lab: SlotLab, kafka_jars: Path, delivery: str, limited: str
) -> None:
    topic = lab.topic(name("quota"), 2)
    produce(lab.source_bootstrap, topic, numbered(0, 6_000, 2, size=1_000))
    bootstrap = lab.target_bootstrap if limited == "producer" else lab.source_bootstrap
    isolation = "read_committed" if delivery == "exactly_once" else "read_uncommitted"
    set_client_quota(bootstrap, kafka_jars, f"--add-config {limited}_byte_rate=300000")
    try:
        with lab.running(lab.spec({topic: 2}, delivery=delivery, isolation_level=isolation)) as handle:
            until(handle, lambda live: live.get("states", {}).get("throttled", 0) > 0)
            assert handle.live()["records_total"] < 6_000
            lab.wait_committed(handle, topic, 2)
            until(handle, lambda live: live["states"] == {"caught_up": 2})
            assert handle.live()["resent_total"] == 0, "a broker that mutes us is there"
            assert handle.live().get("transactions_aborted", 0) == 0
    finally:
        set_client_quota(bootstrap, kafka_jars, f"--delete-config {limited}_byte_rate")
    audit_topic(lab.source_bootstrap, lab.target_bootstrap, topic, lab.remote(topic), 2).check()


@pytest.fixture
def guarded(dev_clusters: DevClusters) -> Iterator[TwoDoors]:
    """A source cluster that asks who one is and looks up what one may."""
    alias = name("guarded")
    doors = start_with_second_listener(dev_clusters, alias, protocol="SASL_PLAINTEXT", extra=AUTHORIZER)
    secret = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
    user = UserScramCredentialUpsertion("srm", secret, PASSWORD.encode())
    for answer in admin(doors.bootstrap).alter_user_scram_credentials([user]).values():
        answer.result(10)
    yield doors
    dev_clusters.stop([alias])


def right(topic: str, operation: AclOperation) -> AclBinding:
    return AclBinding(
        ResourceType.TOPIC, topic, ResourcePatternType.LITERAL, "User:srm", "*", operation, AclPermissionType.ALLOW
    )


def take_away(bootstrap: str, given: AclBinding) -> None:
    fields = (given.restype, given.name, given.resource_pattern_type, given.principal, given.host)
    wanted = AclBindingFilter(*fields, given.operation, given.permission_type)
    admin(bootstrap).delete_acls([wanted])[wanted].result(10)


def give(bootstrap: str, *rights: AclBinding) -> None:
    for answer in admin(bootstrap).create_acls(list(rights)).values():
        answer.result(10)


def test_a_right_taken_away_stalls_one_topic_which_continues_when_it_is_given_back(
    guarded: TwoDoors, two_clusters: TwoClusters
) -> None:
    lab = SlotLab(TwoClusters(source=guarded.cluster, target=two_clusters.target))
    try:
        taken, kept = lab.topic(name("taken")), lab.topic(name("kept"))
        reads = right(taken, AclOperation.READ)
        give(guarded.bootstrap, reads, right(kept, AclOperation.READ), right(lab.syncs_topic, AclOperation.WRITE))
        client = scram_client("srm", PASSWORD)
        source = ClusterClient(alias=lab.source.alias, bootstrap=(guarded.second,), client=client)
        with lab.running(replace(lab.spec({taken: 1, kept: 1}), source=source)) as handle:
            produce(lab.source_bootstrap, taken, numbered(0, 500))
            lab.wait_committed(handle, taken, 1)
            take_away(lab.source_bootstrap, reads)
            until(handle, lambda live: live["states"].get("stalled") == 1, 60)
            cause = handle.live()["cause"]
            assert cause["topic"] == taken
            assert "authorization" in cause["text"].lower(), cause
            produce(lab.source_bootstrap, taken, numbered(500, 1_000))
            produce(lab.source_bootstrap, kept, numbered(0, 1_000))
            lab.wait_committed(handle, kept, 1)
            give(lab.source_bootstrap, reads)
            lab.wait_committed(handle, taken, 1)
            until(handle, lambda live: "stalled" not in live["states"])
        for topic in (taken, kept):
            audit_topic(lab.source_bootstrap, lab.target_bootstrap, topic, lab.remote(topic), 1).check()
    finally:
        lab.close()


@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
def test_a_denied_topic_whose_remote_topic_is_gone_leaves_and_its_neighbour_is_healthy(
    lab: SlotLab, delivery: str
) -> None:
    topic, other = lab.topic(name("denied"), 2), lab.topic(name("neighbour"))
    both = lab.spec({topic: 2, other: 1}, delivery=delivery)
    with lab.running(both) as handle, Traffic(lab.source_bootstrap, topic, 2, RATE, seed=fault_seed()).flowing() as one:
        until(handle, lambda live: live.get("records_total", 0) > RATE)
        delete_topic(lab.target_bootstrap, lab.remote(topic))
        one.wait_for(2 * RATE)  # batches are on their way to a topic that is gone
        until(handle, lambda live: not set(live["states"]) <= {"replicating", "caught_up"})

        handle.update(lab.spec({other: 1}, delivery=delivery, plan_version=2))
        until(handle, lambda live: live["states"] == {"caught_up": 1}, timeout_s=90)

        assert handle.live().get("cause") is None
        produce(lab.source_bootstrap, other, numbered(0, 500))
        lab.wait_committed(handle, other, 1)
    audit_topic(lab.source_bootstrap, lab.target_bootstrap, other, lab.remote(other), 1).check()
