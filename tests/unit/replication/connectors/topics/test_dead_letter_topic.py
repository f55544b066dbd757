"""A record too large for its remote topic fits where dead letters are kept."""

from replication.connectors.plan.source_connector import SourceConnector
from replication.connectors.topics.applied_ledger import AppliedLedger
from replication.connectors.topics.dead_letter_topic import HEADERS_BYTES, MAX_BYTES
from replication.domain.plan.plan_document import PlanDocument
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryProducer, MemoryRecordLog
from tests.support.engine.planning import codes, connect, flow

LETTERS = "srm-dead-letters.east.internal"
DEFAULT_BYTES = 1_048_588


def limit(west: MemoryCluster, topic: str = LETTERS) -> int:
    return int(west.topics[topic].configs.get(MAX_BYTES, "0"))


def test_dead_letters_may_be_as_large_as_the_largest_record_and_what_is_said_of_it(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    east.create("small")
    east.create("large", configs={MAX_BYTES: "9000000"})

    plan = connect(east, west, flow(srm_errors_policy="dead_letter")).run_once(None, 0)

    assert limit(west) == 9_000_000 + HEADERS_BYTES
    assert codes(plan) == []


def test_what_the_source_takes_counts_also_where_the_remote_topic_takes_less(
    east: MemoryCluster, west: MemoryCluster
) -> None:
    east.create("large", configs={MAX_BYTES: "9000000"})

    connect(east, west, flow(srm_errors_policy="dead_letter", config_properties_exclude=MAX_BYTES)).run_once(None, 0)

    assert (limit(west, "east.large"), limit(west)) == (0, 9_000_000 + HEADERS_BYTES)


def test_it_grows_with_the_topics_also_after_a_restart_of_the_driver(east: MemoryCluster, west: MemoryCluster) -> None:
    def run(previous: PlanDocument | None) -> PlanDocument:
        ledger = AppliedLedger(
            "srm-applied.east.internal",
            open_log=lambda: MemoryRecordLog(west),
            open_producer=lambda: MemoryProducer(west),
        )
        admins = MemoryAdmin(east), MemoryAdmin(west)
        return SourceConnector(flow(srm_errors_policy="dead_letter"), "west", *admins, ledger=ledger).run_once(
            previous, 0
        )

    east.create("t")
    plan = run(None)
    assert limit(west) == DEFAULT_BYTES + HEADERS_BYTES
    east.topics["t"].configs = {MAX_BYTES: "5000000"}

    run(plan)

    assert limit(west) == 5_000_000 + HEADERS_BYTES


def test_a_limit_that_somebody_chose_stays_and_is_told(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("t")
    west.create("letters", configs={MAX_BYTES: "1000"})

    plan = connect(east, west, flow(errors_deadletterqueue_topic_name="letters")).run_once(None, 0)

    assert limit(west, "letters") == 1_000
    assert codes(plan) == ["dead_letters_narrow"]
    assert "max.message.bytes=1000" in plan.warnings[0].text


def test_a_flow_without_dead_letters_looks_for_none(east: MemoryCluster, west: MemoryCluster) -> None:
    east.create("t")

    connect(east, west).run_once(None, 0)

    assert LETTERS not in west.topics
