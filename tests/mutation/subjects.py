"""The modules that are mutated, the tests that must notice it, and the mutants that no test can notice."""

MODULES = (
    "replication.domain.offsets.start_position",
    "replication.domain.plan.topic_join",
    "replication.domain.produce.producer_registry",
    "replication.connectors.registered_slots",
    "replication.connectors.slot_fencing",
    "replication.tasks.source_task",
    "replication.tasks.offsets.position_committer",
    "replication.tasks.offsets.start_positions",
    "replication.tasks.produce.producer_renewal",
    "replication.tasks.produce.slot_takeover",
    "replication.tasks.produce.transaction_gate",
    "replication.tasks.produce.transactions",
    "replication.wire.offsets.position_store",
    "replication.wire.produce.registry_reader",
    "replication.wire.produce.transactions",
)

TESTS = (
    "tests/unit/replication/codecs/test_position_records.py",
    "tests/unit/replication/connectors",
    "tests/unit/replication/domain/offsets",
    "tests/unit/replication/domain/plan",
    "tests/unit/replication/domain/produce",
    "tests/unit/replication/tasks",
    "tests/unit/replication/wire/offsets",
    "tests/unit/replication/wire/produce",
    "tests/contract/test_slot_ownership.py",
    "tests/contract/test_data_plane_ports.py",
)

# module.function, text before, text after: why every behaviour stays the same
EQUIVALENT: dict[tuple[str, str, str], str] = {}
