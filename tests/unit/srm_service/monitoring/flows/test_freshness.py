"""The rows of the metrics store that count as current."""

from replication.domain.identifiers import FlowId
from srm_service.monitoring.contracts import LiveNumbers
from srm_service.monitoring.flows.freshness import StoreState, _FlowRow

FLOW = FlowId("a", "b")
NUMBERS = LiveNumbers(records_per_second=5.0, bytes_per_second=50.0, lag_offsets=7)
ROW_MS = 1_790_000_000_000


def test_numbers_are_unknown_when_they_are_old_even_if_nothing_newer_was_counted() -> None:
    state = StoreState(
        last_batch_ms={"b": ROW_MS}, flows={FLOW: _FlowRow(state="replicating", last_ms=ROW_MS, numbers=NUMBERS)}
    )

    assert state.numbers(FLOW, ROW_MS + 3_600_000) == LiveNumbers()


def test_numbers_of_an_idle_flow_stand_between_two_reports() -> None:
    state = StoreState(
        last_batch_ms={"b": ROW_MS + 65_000},
        flows={FLOW: _FlowRow(state="caught_up", last_ms=ROW_MS, numbers=NUMBERS)},
    )

    assert state.numbers(FLOW, ROW_MS + 65_000) == NUMBERS
