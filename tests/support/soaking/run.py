"""One soak under faults: set the stage, break it in the order of the seed, wait, audit, tell."""

import os
import random
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource

from tests.support.engine.auditor import Findings, recorded_gaps
from tests.support.kafka.kafka_records import admin
from tests.support.soaking.faults import Fault, Histories, Scene, happening, lasts_s, order_of_events, wait_for
from tests.support.soaking.history import TopicHistory
from tests.support.soaking.invariants import (
    RESEND_S,
    Judgement,
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
from tests.support.soaking.stage import COPIES, FLOWS, NEAR, PARTITIONS, RATE, TOPICS, Stage, set_stage
from tests.support.soaking.steps import Window, read_steps
from tests.support.soaking.watch import Pair, Watch

REPOSITORY = Path(__file__).resolve().parents[3]
START_S = 180.0
RECOVER_S = 240.0
PAUSE_S = (4.0, 12.0)
CHANGE_TASKS_S = 60.0
THAWED_S = 2.0
NEIGHBOUR = ("west", "east")
FOLLOWED = (NEAR, "west")
CHANGED_KEY, CHANGED_VALUE = "retention.ms", "5400000"


def run_faults(minutes: float, seed: int, names: Sequence[str]) -> int:
    """Exit code 1 when an invariant does not hold; the state folder is then kept and named."""
    tell(f"seed {seed}: `python -m tests.support.soak --minutes {minutes:g} --seed {seed}` repeats these faults")
    jars = Path(os.environ.get("SRM_JARS") or f"{os.environ.get('SRM_HOME', REPOSITORY / '.srm')}/jars") / "kafka"
    home = Path(tempfile.mkdtemp(prefix="srm-soak-"))
    with set_stage(home, jars, seed) as stage:
        results = _soak(stage, minutes * 60, seed, names)
    click.echo(table(results))
    if all(judgement.holds for judgement in results):
        shutil.rmtree(home, ignore_errors=True)
        return 0
    click.echo(f"logs are in {home}/srm/logs")
    return 1


def tell(text: str) -> None:
    click.echo(f"{time.strftime('%H:%M:%S')} {text}")


def _soak(stage: Stage, seconds: float, seed: int, names: Sequence[str]) -> list[Judgement]:
    histories: Histories = {
        (source, topic): TopicHistory(stage.bootstraps[source], topic, PARTITIONS) for source, topic, _ in TOPICS
    }
    for history in histories.values():
        history.begin_life()
    watch = Watch(stage)
    try:
        scene = Scene(stage, random.Random(seed), histories, watch.is_level)
        if not wait_for(START_S, lambda: _all_healthy(watch)):
            raise SystemExit(f"the flows do not start: {watch.seen.samples[-1]}; logs are in {stage.system.home}/logs")
        tell("every flow is healthy; faults begin")
        _change_config(stage)
        faults = _break_things(scene, seconds, names)
        stage.stop_writers()
        began = time.monotonic()
        level_after_s = time.monotonic() - began if wait_for(RECOVER_S, watch.all_level) else None
        wait_for(60.0, lambda: _all_healthy(watch))
        statuses = dict(watch.seen.samples[-1].status)
    finally:
        watch.stop()
    tell("faults are over; the auditor reads all topics")
    for history in histories.values():
        history.remember()
    return _judge(stage, watch, histories, faults, level_after_s, statuses)


def _all_healthy(watch: Watch) -> bool:
    statuses = watch.seen.samples[-1].status if watch.seen.samples else {}
    return len(statuses) == len(FLOWS) and set(statuses.values()) == {"healthy"}


class TaskChanges:
    """Changes `tasks.max` of some flows every minute, between other faults."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._changed_s = time.monotonic()
        self._tasks_max = 2

    def due(self) -> list[Fault]:
        """Change it if a minute has passed."""
        began_s = time.monotonic()
        if began_s - self._changed_s < CHANGE_TASKS_S:
            return []
        self._changed_s, self._tasks_max = began_s, 5 - self._tasks_max
        self._stage.change_tasks_max(self._tasks_max)
        tell(f"tasks.max is {self._tasks_max}")
        return [Fault(name="change tasks.max", began_s=began_s, ended_s=time.monotonic(), resends=True)]


def _break_things(scene: Scene, seconds: float, names: Sequence[str]) -> list[Fault]:
    faults: list[Fault] = []
    deadline = time.monotonic() + seconds
    changes = TaskChanges(scene.stage)
    for name in order_of_events(scene.chance, names):
        duration_s, pause_s = lasts_s(name, scene.chance), scene.chance.uniform(*PAUSE_S)
        if time.monotonic() + duration_s > deadline:
            return faults
        fault = Fault(name=name, began_s=time.monotonic())
        with happening(name, scene, fault):
            tell(f"{name} {fault.detail}".rstrip() + f" for {duration_s:.0f} s")
            wait_for(duration_s)
            fault.ended_s = time.monotonic()
        faults += [fault, *changes.due()]
        wait_for(pause_s)
    return faults


def _judge(
    stage: Stage,
    watch: Watch,
    histories: Histories,
    faults: list[Fault],
    level_after_s: float | None,
    statuses: dict[Pair, str],
) -> list[Judgement]:
    gaps = {pair: recorded_gaps(stage.bootstraps[pair[1]], pair[0]) for pair in FLOWS}
    findings: dict[str, Findings] = {}
    allowed: dict[str, int] = {}
    resends = sum(fault.resends for fault in faults)
    for copy in COPIES:
        name, where = f"{copy.flow} {copy.topic}", stage.bootstraps[copy.target]
        findings[name] = histories[copy.source, copy.topic].compare(
            where, copy.remote, gaps[copy.source, copy.target], committed=copy.exactly_once
        )
        allowed[name] = 0 if copy.exactly_once else int(resends * RESEND_S * RATE)
        tell(f"{name}{' (exactly once)' if copy.exactly_once else ''}: {findings[name]}")
    samples, rates = watch.seen.samples, {pair: _rate(pair) for pair in FLOWS}
    topics = {alias: sorted(admin(where).list_topics(timeout=10).topics) for alias, where in stage.bootstraps.items()}
    return [
        *judge_copies(findings, allowed),
        judge_lag(samples, rates),
        judge_status(samples, faults),
        judge_prompt_status(samples, faults),
        judge_neighbour(samples, faults, rates[NEIGHBOUR], NEIGHBOUR),
        judge_follower(samples, faults, rates[FOLLOWED], FOLLOWED),
        judge_steps(read_steps(stage.system.home / "logs", _frozen_windows(faults))),
        judge_recovery(level_after_s, statuses),
        judge_names({alias: [name for name in names if "internal" not in name] for alias, names in topics.items()}),
        judge_configs(_differing(stage)),
        judge_memory(watch.seen.rss_bytes),
    ]


def _frozen_windows(faults: list[Fault]) -> list[Window]:
    """Return when processes were frozen on purpose, in seconds since 1970: a step lasts as long there."""
    shift_s = time.time() - time.monotonic()
    return [
        (fault.began_s + shift_s, fault.ended_s + shift_s + THAWED_S)
        for fault in faults
        if fault.name in ("freeze worker", "retention overtakes")
    ]


def _rate(pair: Pair) -> float:
    return float(RATE * sum(pair == (copy.source, copy.target) for copy in COPIES))


def _change_config(stage: Stage) -> None:
    entry = ConfigEntry(CHANGED_KEY, CHANGED_VALUE, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ConfigResource.Type.TOPIC, "orders", incremental_configs=[entry])
    admin(stage.bootstraps["east"]).incremental_alter_configs([resource])[resource].result(10)


def _differing(stage: Stage) -> dict[str, str]:
    """Remote topics of the changed one that do not have the change."""
    found: dict[str, str] = {}
    for copy in COPIES:
        if copy.topic == "orders":
            resource = ConfigResource(ConfigResource.Type.TOPIC, copy.remote)
            configs = admin(stage.bootstraps[copy.target]).describe_configs([resource])[resource].result(10)
            if configs[CHANGED_KEY].value != CHANGED_VALUE:
                found[f"{copy.target} {copy.remote}"] = f"{CHANGED_KEY}={configs[CHANGED_KEY].value}"
    return found
