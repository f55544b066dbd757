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
    "tests/unit/replication/connectors",
    "tests/unit/replication/domain/offsets",
    "tests/unit/replication/domain/plan",
    "tests/unit/replication/domain/produce",
    "tests/unit/replication/tasks/control/test_restarts.py",
    "tests/unit/replication/tasks/offsets/test_position_committer.py",
    "tests/unit/replication/tasks/offsets/test_start_positions.py",
    "tests/unit/replication/tasks/partition/test_returning_partitions.py",
    "tests/unit/replication/tasks/produce",
    "tests/unit/replication/tasks/test_source_task.py",
    "tests/unit/replication/wire/offsets",
    "tests/unit/replication/wire/produce",
    "tests/contract/test_slot_ownership.py",
)

_AT_THE_DEADLINE = "differs at one instant of a clock, by one more look"
_BEFORE_THE_FENCE = "set again before it is used: every slot begins with `fence`"
_PAUSE = "another length of a pause, by a thousandth or within a retry"
_JITTER = "slots that disturb each other pause for other times; any will do"
# module.function, text before, text after: why every behaviour stays the same
EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "replication.tasks.source_task.SourceTask._wait_for",
        "loop.monotonic_s() < deadline_s",
        "loop.monotonic_s() <= deadline_s",
    ): _AT_THE_DEADLINE,
    (
        "replication.tasks.produce.producer_renewal.ProducerRenewal._wait_for_answers",
        "loop.monotonic_s() >= deadline_s",
        "loop.monotonic_s() > deadline_s",
    ): _AT_THE_DEADLINE,
    ("replication.tasks.produce.slot_takeover.SlotTakeover._fence_older", "1", "2"): _JITTER,
    (
        "replication.tasks.produce.slot_takeover.SlotTakeover._fence_older",
        "1 + spec.slot % 7 / 7",
        "1 - spec.slot % 7 / 7",
    ): _JITTER,
    ("replication.tasks.produce.slot_takeover.SlotTakeover._fence_older", "7", "8"): _JITTER,
    ("replication.tasks.produce.slot_takeover.SlotTakeover._fence_older", "2", "3"): _JITTER,
    (
        "replication.tasks.produce.slot_takeover.SlotTakeover._fence_older",
        "0",
        "1",
    ): "the slot's own claim is among the entries",
    (
        "replication.wire.produce.transactions.SlotTransactions.__init__",
        "1",
        "2",
    ): _BEFORE_THE_FENCE,
    (
        "replication.wire.produce.transactions.SlotTransactions.__init__",
        "False",
        "True",
    ): _BEFORE_THE_FENCE,
    (
        "replication.wire.produce.transactions.SlotTransactions._produce",
        "self._loop.monotonic_s() > deadline",
        "self._loop.monotonic_s() >= deadline",
    ): _AT_THE_DEADLINE,
    (
        "replication.wire.produce.transactions.SlotTransactions._retry",
        "self._loop.monotonic_s() > deadline",
        "self._loop.monotonic_s() >= deadline",
    ): _AT_THE_DEADLINE,
    (
        "replication.wire.produce.transactions.SlotTransactions._note_expiry",
        "self._age_s() * 1000 > TRANSACTION_TIMEOUT_MS",
        "self._age_s() * 1000 >= TRANSACTION_TIMEOUT_MS",
    ): _AT_THE_DEADLINE,
    (
        "replication.wire.produce.transactions.SlotTransactions._note_expiry",
        "1000",
        "1001",
    ): _AT_THE_DEADLINE,
    (
        "replication.wire.produce.transactions.SlotTransactions._produce",
        "2",
        "3",
    ): _PAUSE,
    (
        "replication.wire.produce.transactions.SlotTransactions._retry",
        "2",
        "3",
    ): _PAUSE,
    (
        "replication.wire.produce.transactions.SlotTransactions._find_coordinator",
        "3",
        "4",
    ): "the newest version that is allowed; brokers and client agree on one",
    (
        "replication.wire.produce.transactions.SlotTransactions._leaders",
        "1",
        "2",
    ): "any negative number is no leader",
    (
        "replication.tasks.produce.transactions.Transactions._wait_for_answers",
        "loop.monotonic_s() > deadline_s",
        "loop.monotonic_s() >= deadline_s",
    ): _AT_THE_DEADLINE,
    (
        "replication.tasks.produce.transactions.Transactions._is_due",
        "now_s - opened_s >= spec.transaction_interval_ms / 1000",
        "now_s - opened_s > spec.transaction_interval_ms / 1000",
    ): _AT_THE_DEADLINE,
    (
        "replication.tasks.produce.transactions.Transactions._is_due",
        "now_s - self._committed_s >= spec.commit_interval_ms / 1000",
        "now_s - self._committed_s > spec.commit_interval_ms / 1000",
    ): _AT_THE_DEADLINE,
    (
        "replication.tasks.produce.transactions.Transactions._is_due",
        "1000",
        "1001",
    ): _PAUSE,
    (
        "replication.tasks.produce.transactions.Transactions.run",
        "1000",
        "1001",
    ): _PAUSE,
    (
        "replication.tasks.offsets.position_committer.PositionCommitter.run",
        "1000",
        "1001",
    ): _PAUSE,
}
