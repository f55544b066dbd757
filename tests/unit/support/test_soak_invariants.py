"""Each invariant of the soak can fail, and names what it saw."""

import random
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tests.support.engine.auditor import Findings
from tests.support.soaking.faults import EVERY, Fault, order_of_events
from tests.support.soaking.invariants import (
    judge_configs,
    judge_copies,
    judge_follower,
    judge_lag,
    judge_memory,
    judge_names,
    judge_neighbour,
    judge_prompt_status,
    judge_recovery,
    judge_status,
    judge_steps,
    table,
)
from tests.support.soaking.steps import Steps
from tests.support.soaking.watch import Sample

PAIR = ("a", "b")
RATES = {PAIR: 100.0}


def look(at_s: float, *, status: str = "healthy", reported: float | None = 50.0, own: int | None = 50) -> Sample:
    return Sample(
        at_s=at_s,
        status={PAIR: status},
        reported_lag={PAIR: reported},
        reported_age_s={PAIR: 0.0},
        own_lag={PAIR: own},
    )


STEADY = [look(float(second)) for second in range(100)]


def holds(findings: Findings, allowed: int = 0) -> dict[str, bool]:
    return {
        judgement.invariant[:2]: judgement.holds
        for judgement in judge_copies({"a->b t": findings}, {"a->b t": allowed})
    }


def test_a_faithful_copy_holds_every_invariant() -> None:
    assert all(holds(Findings(source_records=5, target_records=5)).values())


def test_each_finding_breaks_its_invariant() -> None:
    clean = Findings(source_records=5)
    assert not holds(replace(clean, lost=[(0, 1)]))["I1"]
    assert not holds(replace(clean, lost=[(0, 1)]))["I7"]
    assert not holds(replace(clean, reordered=[(0, 1)]))["I2"]
    assert not holds(replace(clean, duplicated=[(0, 1), (0, 2)]), allowed=1)["I3"]
    assert not holds(replace(clean, aborted=[(0, 1)]))["I4"]
    assert holds(replace(clean, excused=[(0, 1)]))["I7"]
    assert not holds(replace(clean, untrue=[(0, 1)]))["I7"]


def test_a_soak_that_copied_nothing_proves_nothing() -> None:
    assert not holds(Findings())["I1"]


def test_a_lag_that_agrees_holds() -> None:
    assert judge_lag(STEADY, RATES).holds


def test_a_lag_told_wrongly_for_long_does_not_hold() -> None:
    wrong = [look(float(second), reported=0.0, own=5_000) for second in range(50)]
    assert not judge_lag([*STEADY[50:], *wrong], RATES).holds


def test_a_lag_is_compared_with_the_moment_it_was_measured() -> None:
    growing = [look(float(second), own=1_000 * second, reported=1_000.0 * second) for second in range(100)]
    old = [replace(each, reported_lag={PAIR: max(0.0, 1_000.0 * (each.at_s - 20))}) for each in growing]
    told = [replace(each, reported_age_s={PAIR: 20.0}) for each in old]
    assert not judge_lag(old, RATES).holds
    assert judge_lag(told, RATES).holds


def test_unknown_lags_are_not_judged() -> None:
    unknown = [look(float(second), own=None) for second in range(100)]
    assert "0 looks" in judge_lag(unknown, RATES).detail


def fault(seconds: float) -> Fault:
    return Fault(name="cut link", began_s=10.0, ended_s=10.0 + seconds, stalls=frozenset({PAIR}))


def test_a_stall_called_healthy_for_30_s_does_not_hold() -> None:
    judgement = judge_status(STEADY, [fault(40.0)])
    assert not judgement.holds
    assert "cut link a->b" in judgement.detail


def test_a_stall_told_in_time_holds_and_a_short_one_is_not_judged() -> None:
    told = [*STEADY[:30], look(30.5, status="interrupted"), *STEADY[31:]]
    assert judge_status(told, [fault(40.0)]).holds
    assert judge_status(STEADY, [fault(20.0)]).holds


def test_recovery_needs_a_level_flow_that_is_well() -> None:
    assert judge_recovery(3.0, {PAIR: "healthy"}).holds
    assert not judge_recovery(None, {PAIR: "healthy"}).holds
    assert not judge_recovery(3.0, {PAIR: "failed"}).holds


def test_a_topic_that_came_home_is_a_cycle() -> None:
    assert judge_names({"a": ["b.t", "t"], "b": ["a.t"]}).holds
    assert not judge_names({"a": ["b.a.t"], "b": []}).holds


def test_a_configuration_that_did_not_arrive_is_named() -> None:
    assert judge_configs({}).holds
    assert "retention.ms" in judge_configs({"b a.t": "retention.ms=1"}).detail


def test_memory_that_grows_does_not_hold() -> None:
    flat, growing = [100 * 2**20] * 300, [each * 2**20 for each in range(100, 400)]
    assert judge_memory({("driver-data", 7): flat}).holds
    assert not judge_memory({("driver-data", 7): [*growing, *[900 * 2**20] * 150]}).holds


def test_the_memory_of_a_killed_process_is_not_compared_with_that_of_its_successor() -> None:
    small, warm = [90 * 2**20] * 200, [190 * 2**20] * 400
    told = judge_memory({("driver-data", 7): small, ("driver-data", 8): warm})
    assert told.holds
    assert "1 lives of 300 looks judged" in told.detail
    assert "driver-data 190" in told.detail


def test_every_fault_happens_once_in_a_round_and_the_seed_repeats_it() -> None:
    first, second = order_of_events(random.Random(7)), order_of_events(random.Random(7))
    names = [next(first) for _ in EVERY]
    assert sorted(names) == sorted(EVERY)
    assert names == [next(second) for _ in EVERY]


def test_the_table_has_a_line_for_each_invariant() -> None:
    assert len(table([judge_configs({}), judge_recovery(None, {})]).splitlines()) == 2


def stall(**changes: Any) -> Fault:
    return replace(Fault(name="kill broker", began_s=10.0, ended_s=40.0, stalls=frozenset({PAIR})), **changes)


def test_trouble_is_named_promptly_and_until_it_ends() -> None:
    named = [look(float(at), status="stalled" if 15 <= at <= 45 else "healthy") for at in range(60)]
    late = [look(float(at), status="stalled" if 25 <= at <= 45 else "healthy") for at in range(60)]
    forgotten = [look(float(at), status="stalled" if 15 <= at <= 30 else "healthy") for at in range(60)]

    assert judge_prompt_status(named, [stall()]).holds
    assert not judge_prompt_status(late, [stall()]).holds
    assert not judge_prompt_status(forgotten, [stall()]).holds
    assert "0 stalls" in judge_prompt_status(late, [stall(ended_s=15.0)]).detail


def test_a_neighbour_that_falls_behind_hostile_records_is_noticed() -> None:
    attack = stall(name="hostile records")
    behind = [look(float(at), own=int(31 * (at - 10)) if at > 10 else 0) for at in range(60)]

    assert judge_neighbour(STEADY, [attack], RATES[PAIR], PAIR).holds
    assert not judge_neighbour(behind, [attack], RATES[PAIR], PAIR).holds
    assert judge_neighbour(behind, [stall()], RATES[PAIR], PAIR).holds


def test_slow_steps_count_unless_the_process_was_frozen() -> None:
    lines = [
        "2026-11-23T04:00:00.5Z [info     ] loop steps to_25_ms=3 to_50_ms=1 longer=1 longest_ms=900",
        "2026-11-23T04:00:10.5Z [warning  ] slow step cpu_ms=850 elapsed_ms=900 task=Fetcher._read",
        "2026-11-23T04:00:11.5Z [info     ] something else longest_ms=5000",
    ]
    at_s = datetime(2026, 11, 23, 4, 0, 10, tzinfo=UTC).timestamp()
    alive, frozen = Steps(), Steps()
    alive.add(lines)
    frozen.add(lines, [(at_s - 5, at_s + 5)])

    assert not judge_steps(alive).holds
    assert judge_steps(frozen).holds
    assert "to 25 ms: 3" in frozen.histogram()
    assert "900 ms" in frozen.histogram()
    assert "Fetcher._read" in judge_steps(alive).detail


def test_slow_steps_that_waited_for_a_cpu_are_shown_but_do_not_count() -> None:
    waiting, blocked = Steps(), Steps()
    waiting.add(["2026-11-23T04:00:10.5Z [warning  ] slow step cpu_ms=200 elapsed_ms=900 task=Sender.run"])
    blocked.add(["2026-11-23T04:00:10.5Z [warning  ] slow step cpu_ms=200 elapsed_ms=2900 task=Sender.run"])

    assert judge_steps(waiting).holds
    assert "without a CPU: cpu_ms=200 elapsed_ms=900 task=Sender.run" in judge_steps(waiting).detail
    assert not judge_steps(blocked).holds


def test_a_copy_that_stays_with_a_stalled_follower_is_found() -> None:
    fault = Fault(name="stall follower", began_s=10.0, ended_s=50.0)

    def behind(lag_at: dict[float, int]) -> list[Sample]:
        return [look(float(second), own=lag_at.get(float(second), 50)) for second in range(100)]

    assert judge_follower(STEADY, [fault], 100.0, PAIR).holds
    assert judge_follower(behind({25.0: 2_000, 60.0: 2_000}), [fault], 100.0, PAIR).holds
    assert not judge_follower(behind({45.0: 2_000}), [fault], 100.0, PAIR).holds
    assert not judge_follower([], [fault], 100.0, PAIR).holds
    assert judge_follower([], [], 100.0, PAIR).holds
