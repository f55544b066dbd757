"""The status table, row by row and where two rows meet."""

from dataclasses import replace
from typing import Any

import pytest

from replication.domain.health.flow_facts import (
    FLOW_STATUS_WORDS,
    FlowFacts,
    PlanFact,
    StatusCause,
    TaskFact,
    Thresholds,
)
from replication.domain.health.flow_status import derive_status

_NOW = 1_000_000_000
_RETENTION = StatusCause(
    code="retention_near", text="Retention overtakes orders-3 in about 9 min.", topic="orders", partition=3, since_ms=5
)
_WAITS = StatusCause(code="records_wait", text="Records for syncs wait.", topic="syncs", since_ms=6)
_REFUSED = StatusCause(code="authentication_failed", text="Cluster us-east: the changed login is refused.", since_ms=8)
_DIFFERS = StatusCause(code="audit_difference", text="Audit 3 found differences in orders.", topic="orders", since_ms=7)
_WRONG = StatusCause(
    code="internal_topic_cleanup_policy",
    text="cluster eu-central: heartbeats has cleanup.policy=delete instead of compact",
)
_HELD = StatusCause(
    code="topic_held_back",
    text="records could go in cycles through a->b, b->c; set srm.loop.origins",
    topic="orders",
)
_STALL = StatusCause(code="stalled", text="It has no leader.", topic="orders", partition=3, since_ms=_NOW - 9_000)


def _task(**changes: Any) -> TaskFact:
    values: dict[str, Any] = {"state": "running", "since_ms": _NOW - 60_000, "partition_states": {"replicating": 2}}
    return TaskFact(**{**values, **changes})


def _plan(**changes: Any) -> PlanFact:
    values: dict[str, Any] = {
        "task": _task(partition_states={}),
        "topics": 2,
        "tasks": 1,
        "source_reachable": True,
        "target_reachable": True,
    }
    return PlanFact(**{**values, **changes})


_RUNNING = FlowFacts(
    source="us-east",
    target="eu-central",
    enabled=True,
    plan=_plan(),
    source_tasks=(_task(),),
    metrics_age_ms=3_000,
    heartbeat_age_ms=1_000,
)
_FAILED = _task(state="failed", cause=StatusCause(code="fatal", text="The disk is full.", since_ms=_NOW - 5_000))
_UNASSIGNED = _task(
    state="unassigned",
    partition_states={},
    cause=StatusCause(code="no_driver", text="No driver for west has the labels region=eu.", since_ms=4),
)
_FROZEN = _task(driver="driver-1", frozen_ms=41_000)
_LOCKED_OUT = _task(
    state="failed",
    cause=StatusCause(
        code="authentication_failed", text="Cluster us-east (b:9092) refused the connection: invalid password."
    ),
)
_LOST = _task(state="failed", cause=StatusCause(code="cluster_unreachable", text="eu-central does not answer"))
_SILENT = StatusCause(
    code="cluster_unreachable", text="Cluster us-east: reading records failed: no answer in time.", since_ms=7
)

_CASES: dict[str, tuple[dict[str, Any], str, str]] = {
    "all tasks copy": ({}, "healthy", "All tasks are copying"),
    "an internal topic of a wrong shape": (
        {"plan": _plan(wrong_topics=(_WRONG,))},
        "degraded",
        "heartbeats has cleanup.policy=delete instead of compact",
    ),
    "all has caught up": (
        {"source_tasks": (_task(partition_states={"caught_up": 4}),)},
        "healthy",
        "caught up with the source",
    ),
    "a checkpoint task failed": (
        {"plan": _plan(checkpoint_tasks=2), "checkpoint_tasks": (_FAILED, _task())},
        "degraded",
        "1 of 2 checkpoint tasks failed, so their consumer groups are not translated. The disk is full.",
    ),
    "a checkpoint task does not run": (
        {"plan": _plan(checkpoint_tasks=2), "checkpoint_tasks": (_task(),)},
        "degraded",
        "Only 1 of 2 checkpoint tasks run: is a control worker running?",
    ),
    "checkpoint tasks of a flow that has just started": (
        {"plan": _plan(checkpoint_tasks=2), "source_tasks": (_task(since_ms=_NOW - 5_000),)},
        "healthy",
        "All tasks are copying",
    ),
    "no driver for any task": (
        {"source_tasks": (_UNASSIGNED,)},
        "interrupted",
        "Nothing is copied. No driver for west has the labels region=eu.",
    ),
    "no driver for one task": (
        {"plan": _plan(tasks=2), "source_tasks": (_task(), _UNASSIGNED)},
        "degraded",
        "1 of 2 tasks has no driver. No driver for west has the labels region=eu.",
    ),
    "groups cannot be listed": (
        {
            "plan": _plan(
                groups_problem=StatusCause(code="authorization_failed", text="Cluster east refused to list groups.")
            )
        },
        "degraded",
        "New consumer groups are not found. Cluster east refused to list groups.",
    ),
    "failed checkpoints are no failure of the flow": (
        {"plan": _plan(checkpoint_tasks=1), "checkpoint_tasks": (_LOST,)},
        "degraded",
        "1 of 1 checkpoint tasks failed",
    ),
    "switched off": ({"enabled": False}, "disabled", "switched off"),
    "switched off wins over a pause": ({"enabled": False, "paused": True}, "disabled", "switched off"),
    "paused by somebody": (
        {"paused": True, "pause_by": "ann", "pause_reason": "maintenance", "pause_until_ms": _NOW + 600_000},
        "paused",
        "Paused by ann: maintenance, for another 10 min.",
    ),
    "stopped": ({"stopped": True}, "paused", "Stopped."),
    "paused wins over failed": ({"paused": True, "source_tasks": (_FAILED,)}, "paused", "Paused"),
    "nothing is allowed": ({"allows_topics": False}, "idle", "allow list"),
    "nothing matches": ({"plan": _plan(topics=0, tasks=0), "source_tasks": ()}, "idle", "no topic of us-east matches"),
    "only heartbeats match": ({"plan": _plan(topics=0, tasks=1)}, "idle", "Only heartbeats are copied"),
    "all that matches is held back": (
        {"plan": _plan(topics=0, tasks=0, held_back=_HELD), "source_tasks": ()},
        "degraded",
        "Nothing is copied, orders is held back: records could go in cycles through a->b, b->c; set srm.loop.origins.",
    ),
    "nothing matches a source that does not answer": (
        {"plan": _plan(topics=0, tasks=0, source_reachable=False), "source_tasks": ()},
        "interrupted",
        "Cluster us-east does not answer",
    ),
    "no reports": (
        {"plan": None, "source_tasks": (), "metrics_age_ms": None},
        "unknown",
        "is a driver for eu-central running?",
    ),
    "no reports because of redis": (
        {"plan": None, "source_tasks": (), "metrics_age_ms": 600_000, "live_problem": "Redis does not answer"},
        "unknown",
        "Redis does not answer. The last metrics are 10 min old.",
    ),
    "planning failed": (
        {"plan": _plan(task=_FAILED)},
        "failed",
        "The planning of this flow failed. The disk is full.",
    ),
    "the only task failed": ({"source_tasks": (_FAILED,)}, "failed", "The task of this flow failed. The disk is full."),
    "every task failed": (
        {"source_tasks": (_FAILED, _FAILED), "plan": _plan(tasks=2)},
        "failed",
        "All 2 tasks of this flow failed. The disk is full.",
    ),
    "tasks lost their cluster": (
        {"source_tasks": (_LOST,)},
        "interrupted",
        "Cluster eu-central does not answer",
    ),
    "tasks lost a cluster that they do not name": (
        {"source_tasks": (replace(_LOST, cause=StatusCause(code="cluster_unreachable", text="No answer.")),)},
        "interrupted",
        "Cluster us-east or eu-central does not answer",
    ),
    "tasks lose the source before the planner asks again": (
        {"source_tasks": (_task(partition_states={"stalled": 4}, cause=_SILENT),)},
        "interrupted",
        "Cluster us-east does not answer; copying continues automatically when it is back.",
    ),
    "one of many brokers is lost": (
        {"source_tasks": (_task(partition_states={"stalled": 4, "caught_up": 9}, cause=_SILENT),)},
        "interrupted",
        "Nothing moves: 4 partitions stalled. Cluster us-east: reading records failed: no answer in time.",
    ),
    "a cluster refuses the login": (
        {"source_tasks": (), "plan": _plan(task=_LOCKED_OUT, source_reachable=False)},
        "interrupted",
        "Cluster us-east (b:9092) refused the connection: invalid password.",
    ),
    "the target does not answer": (
        {"plan": _plan(target_reachable=False)},
        "interrupted",
        "Cluster eu-central does not answer",
    ),
    "nothing moves": (
        {"source_tasks": (_task(partition_states={"stalled": 2, "caught_up": 1}, cause=_STALL),)},
        "interrupted",
        "2 partitions stalled. It has no leader (orders-3).",
    ),
    "resumed, and no driver reports yet": (
        {"plan": None, "source_tasks": (), "resumed_ms": _NOW - 2_000},
        "starting",
        "The flow continues: its tasks are being given to drivers.",
    ),
    "resumed, and no driver reports for long": (
        {"plan": None, "source_tasks": (), "resumed_ms": _NOW - 20_000},
        "degraded",
        "Live state is missing (no driver reports)",
    ),
    "a cluster is back before the planner has asked it again": (
        {"plan": _plan(task=_LOST, source_reachable=False), "source_tasks": (_task(records_per_second=7.0),)},
        "degraded",
        "Cluster us-east does not answer the planner, so new topics and partitions are not found.",
    ),
    "a cluster is away and nothing is copied": (
        {"plan": _plan(task=_LOST, source_reachable=False)},
        "interrupted",
        "Cluster us-east does not answer; copying continues automatically when it is back.",
    ),
    "planned, nothing runs": ({"source_tasks": ()}, "starting", "no task runs yet"),
    "being looked up": ({"source_tasks": (), "plan": _plan(tasks=0)}, "starting", "being looked up"),
    "tasks start": ({"source_tasks": (_task(state="starting"),)}, "starting", "The tasks are starting"),
    "one of two failed": (
        {"source_tasks": (_task(), _FAILED), "plan": _plan(tasks=2)},
        "degraded",
        "1 of 2 tasks failed. The disk is full.",
    ),
    "one of two is missing": ({"plan": _plan(tasks=2)}, "degraded", "Only 1 of 2 tasks run."),
    "one partition stalled": (
        {"source_tasks": (_task(partition_states={"replicating": 3, "stalled": 1}, cause=_STALL),)},
        "degraded",
        "1 partition stalled. It has no leader (orders-3).",
    ),
    "a partition failed": (
        {"source_tasks": (_task(partition_states={"replicating": 3, "failed": 1}),)},
        "degraded",
        "1 partition failed.",
    ),
    "a gap is open": ({"source_tasks": (_task(open_gaps=1),)}, "degraded", "1 open gap"),
    "metrics are old": (
        {"metrics_age_ms": 300_000, "source_tasks": (_task(since_ms=_NOW - 600_000),)},
        "degraded",
        "The metrics are 5 min old: check that the metrics process runs.",
    ),
    "metrics never came": (
        {"metrics_age_ms": None, "source_tasks": (_task(since_ms=_NOW - 600_000),)},
        "degraded",
        "No metrics have arrived: check that the metrics process runs.",
    ),
    "metrics are old because of an executor": (
        {
            "metrics_age_ms": 300_000,
            "metrics_warning": "Executor 3 on host x: 5 failed tasks.",
            "source_tasks": (_task(since_ms=_NOW - 600_000),),
        },
        "degraded",
        "The metrics are 5 min old: Executor 3 on host x: 5 failed tasks.",
    ),
    "an executor is slow but metrics arrive": ({"metrics_warning": "Executor 3 is slow."}, "healthy", "copying"),
    "metrics have not come yet after a start": ({"metrics_age_ms": None}, "healthy", "copying"),
    "only metrics are left": (
        {"plan": None, "source_tasks": (), "live_problem": "Redis does not answer"},
        "degraded",
        "Live state is missing (Redis does not answer)",
    ),
    "internal topics take no records": (
        {"source_tasks": (_task(cause=_WAITS),)},
        "degraded",
        "Records of the flow's own topics cannot be written. Records for syncs wait.",
    ),
    "a changed login is refused while the one before it copies": (
        {"source_tasks": (_task(cause=_REFUSED),)},
        "degraded",
        "A cluster refuses the flow's login. Cluster us-east: the changed login is refused.",
    ),
    "retention is near": (
        {"source_tasks": (_task(cause=_RETENTION),)},
        "degraded",
        "Records are about to be lost to retention. Retention overtakes orders-3 in about 9 min.",
    ),
    "the only loop is frozen": (
        {"source_tasks": (_FROZEN,)},
        "interrupted",
        "Nothing moves. The copying loop of driver driver-1 has not run for 41 s.",
    ),
    "one of two loops is frozen": (
        {"source_tasks": (_task(), _FROZEN), "plan": _plan(tasks=2)},
        "degraded",
        "1 of 2 tasks do not run although their driver reports. The copying loop of driver driver-1",
    ),
    "no planner": ({"plan": None}, "degraded", "No driver plans this flow, so new topics and partitions are not found"),
    "no planner yet after a start": (
        {"plan": None, "source_tasks": (_task(since_ms=_NOW - 5_000),)},
        "healthy",
        "copying",
    ),
    "no heartbeat task": (
        {"wants_heartbeats": True, "heartbeat_age_ms": None},
        "degraded",
        "No driver sends heartbeats for this flow",
    ),
    "no heartbeats wanted": ({"heartbeat_age_ms": None}, "healthy", "copying"),
    "heartbeats stay away": (
        {"heartbeat_age_ms": 75_000, "source_tasks": (_task(since_ms=_NOW - 75_000),)},
        "degraded",
        "No heartbeat has come through for 75 s.",
    ),
    "no heartbeat during a pause that has just ended": (
        {"heartbeat_age_ms": 900_000, "source_tasks": (_task(since_ms=_NOW - 5_000),)},
        "healthy",
        "copying",
    ),
}


@pytest.mark.parametrize(("changes", "status", "reason"), _CASES.values(), ids=_CASES.keys())
def test_the_first_row_that_holds_wins(changes: dict[str, Any], status: str, reason: str) -> None:
    answer = derive_status(replace(_RUNNING, **changes), _NOW)

    assert (answer.status, reason in answer.reason) == (status, True), answer


def test_what_an_audit_found_is_the_cause_when_no_task_tells_another() -> None:
    stalled = _task(partition_states={"replicating": 1, "stalled": 1}, cause=_STALL)

    alone = derive_status(replace(_RUNNING, audit_difference=_DIFFERS), _NOW)
    beside = derive_status(replace(_RUNNING, audit_difference=_DIFFERS, source_tasks=(stalled,)), _NOW)

    assert (alone.status, alone.reason, alone.cause) == ("degraded", "Audit 3 found differences in orders.", _DIFFERS)
    assert (alone.since_ms, beside.cause) == (7, _STALL)
    assert beside.reason.startswith("Audit 3 found differences in orders. 1 partition stalled")


def test_every_status_word_is_reached_by_some_case() -> None:
    assert {status for _, status, _ in _CASES.values()} == set(FLOW_STATUS_WORDS)


def test_the_cause_is_the_earliest_of_all_tasks() -> None:
    later = StatusCause(code="stalled", text="later", since_ms=_NOW - 1_000)
    tasks = (
        _task(partition_states={"replicating": 1, "stalled": 1}, cause=later),
        _task(partition_states={"replicating": 1, "stalled": 1}, cause=_STALL),
    )

    answer = derive_status(replace(_RUNNING, source_tasks=tasks, plan=_plan(tasks=2)), _NOW)

    assert answer.cause == _STALL
    assert answer.since_ms == _STALL.since_ms


@pytest.mark.parametrize(
    ("limits", "facts"),
    [
        (Thresholds(lag_offsets=100), {"lag_offsets": 101}),
        (Thresholds(latency_p95_ms=50), {"latency_p95_ms": 50.5}),
    ],
    ids=["lag", "latency"],
)
def test_a_crossed_threshold_degrades(limits: Thresholds, facts: dict[str, Any]) -> None:
    assert derive_status(replace(_RUNNING, **facts), _NOW, limits).status == "degraded"
    assert derive_status(replace(_RUNNING, **facts), _NOW).status == "healthy"


@pytest.mark.parametrize("changes", [case[0] for case in _CASES.values()], ids=_CASES.keys())
def test_every_reason_is_one_sentence_or_more(changes: dict[str, Any]) -> None:
    reason = derive_status(replace(_RUNNING, **changes), _NOW).reason

    assert reason[0].isupper() or reason[0].isdigit()
    assert reason[-1] in ".?"
    assert ".." not in reason


def test_an_outage_has_one_cause_before_and_after_the_planner_notices_it() -> None:
    waits = _task(partition_states={"stalled": 4}, cause=_SILENT)
    other = StatusCause(code="records_wait", text="Records for syncs wait.", since_ms=1)
    early = replace(_RUNNING, source_tasks=(waits,))
    late = replace(early, plan=_plan(source_reachable=False, task=_task(partition_states={}, cause=other)))

    found = [derive_status(facts, _NOW) for facts in (early, late)]

    assert found[0] == found[1]
    assert found[0].cause == _SILENT
