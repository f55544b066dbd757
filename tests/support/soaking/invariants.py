"""The invariants of the data path, judged from what a soak has seen. Pure: everything is an argument."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from tests.support.engine.auditor import Findings
from tests.support.soaking.faults import STALL_FOLLOWER, Fault
from tests.support.soaking.steps import Steps
from tests.support.soaking.watch import Pair, Sample

SAYS_SO_S = 30.0
NAMED_WITHIN_S = 10.0
LEAST_SHARE = 0.7
LEFT_WITHIN_S = 20.0  # while the follower is in sync for its leader, no one may read what it lacks
LEFT_LAG_S = 5.0
LAG_RATIO, LAG_S = 0.05, 2.0
LOOK_S = 3.0  # own lag is compared with what was reported within that time of it
MOST_OFF_RATIO = 0.05  # of the looks at lag: leases move, documents are a second old
RESEND_S = 4.0  # a commit interval, what is in flight, and a loaded machine
MOST_GROWTH = 1.3
ENOUGH_LOOKS = 60
ENOUGH_MEMORY_LOOKS = 300  # an allocator keeps for a while what one large batch took


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    invariant: str
    holds: bool
    detail: str


def judge_copies(findings: Mapping[str, Findings], allowed_duplicates: Mapping[str, int]) -> list[Judgement]:
    """I1 to I4 and I7, over all copies; under exactly once no duplicate is allowed."""

    def total(name: str) -> int:
        return sum(len(getattr(each, name)) for each in findings.values())

    records = sum(each.source_records for each in findings.values())
    too_many = [name for name, each in findings.items() if len(each.duplicated) > allowed_duplicates[name]]
    return [
        Judgement(
            invariant="I1 every record is on the target",
            holds=records > 0 and total("lost") == 0,
            detail=f"{records} records, {total('lost')} lost",
        ),
        Judgement(
            invariant="I2 order is kept",
            holds=total("reordered") == 0,
            detail=f"{total('reordered')} reordered",
        ),
        Judgement(
            invariant="I3 duplicates stay within what was in flight",
            holds=not too_many,
            detail=f"{total('duplicated')} in all, {max(allowed_duplicates.values(), default=0)} allowed in a copy, "
            f"none under exactly once" + (f"; too many: {', '.join(too_many)}" if too_many else ""),
        ),
        Judgement(
            invariant="I4 nothing foreign, nothing aborted",
            holds=total("foreign") + total("aborted") == 0,
            detail=f"{total('foreign')} foreign, {total('aborted')} aborted",
        ),
        Judgement(
            invariant="I7 gap records are whole and true",
            holds=total("lost") == 0 and total("untrue") == 0,
            detail=f"{total('excused')} records missing that a gap record names, {total('lost')} that none does; "
            f"{total('untrue')} gap records name what the source still holds",
        ),
    ]


def judge_lag(samples: Sequence[Sample], rates: Mapping[Pair, float]) -> Judgement:
    """I8: a reported lag lies within the auditor's own lags around its moment, give or take 5 % or 2 s of traffic."""
    judged, off, worst = 0, 0, 0.0
    for sample in samples:
        for pair, reported in sample.reported_lag.items():
            moment = sample.at_s - sample.reported_age_s.get(pair, 0.0)
            own = [other.own_lag.get(pair) for other in samples if abs(other.at_s - moment) <= LOOK_S]
            known = [lag for lag in own if lag is not None]
            if reported is None or len(known) < 2 or len(known) < len(own):
                continue
            judged += 1
            slack = max(LAG_RATIO * max(known), LAG_S * rates[pair])
            distance = max(min(known) - reported, reported - max(known), 0.0)
            off += distance > slack
            worst = max(worst, distance)
    return Judgement(
        invariant="I8 reported lag is the auditor's",
        holds=judged >= ENOUGH_LOOKS and off <= MOST_OFF_RATIO * judged,
        detail=f"{judged} looks, {off} beyond 5 % or 2 s, worst {worst:,.0f} records off",
    )


def judge_status(samples: Sequence[Sample], faults: Sequence[Fault]) -> Judgement:
    """I9: a flow that cannot move is not called healthy for longer than 30 s."""
    late: list[str] = []
    judged = 0
    for fault in faults:
        if fault.ended_s - fault.began_s < SAYS_SO_S:
            continue
        for pair in fault.stalls:
            said = [s.status[pair] for s in samples if fault.began_s < s.at_s <= fault.began_s + SAYS_SO_S and s.status]
            if said:
                judged += 1
                if all(status == "healthy" for status in said):
                    late.append(f"{fault.name} {pair[0]}->{pair[1]}")
    return Judgement(
        invariant="I9 status tells a stall within 30 s",
        holds=not late,
        detail=f"{judged} stalls of 30 s and more judged" + (f"; not told: {', '.join(late)}" if late else ""),
    )


def judge_prompt_status(samples: Sequence[Sample], faults: Sequence[Fault]) -> Judgement:
    """A flow that cannot move is named within 10 s, and not called healthy again until the fault ends."""
    late, judged, slowest_s = list[str](), 0, 0.0
    for fault in faults:
        if fault.ended_s - fault.began_s < NAMED_WITHIN_S:
            continue
        for pair in fault.stalls:
            said = [(s.at_s, s.status[pair]) for s in samples if fault.began_s < s.at_s <= fault.ended_s and s.status]
            if not said:
                continue  # the service was away
            judged += 1
            named_s = next((at_s - fault.began_s for at_s, status in said if status != "healthy"), None)
            again = [at_s for at_s, status in said if at_s > fault.began_s + NAMED_WITHIN_S and status == "healthy"]
            slowest_s = max(slowest_s, fault.ended_s - fault.began_s if named_s is None else named_s)
            if named_s is None or named_s > NAMED_WITHIN_S or again:
                late.append(f"{fault.name} {pair[0]}->{pair[1]}")
    return Judgement(
        invariant="status names trouble within 10 s",
        holds=not late,
        detail=f"{judged} stalls of 10 s and more, the slowest named after {slowest_s:.0f} s"
        + (f"; late, or healthy meanwhile: {', '.join(late)}" if late else ""),
    )


def judge_neighbour(samples: Sequence[Sample], faults: Sequence[Fault], rate: float, pair: Pair) -> Judgement:
    """While hostile records are written, a neighbour copies at 70 % of the rate at which it is written to."""
    shares: list[float] = []
    for fault in faults:
        if fault.name != "hostile records":
            continue
        own = [(s.at_s, s.own_lag.get(pair)) for s in samples if fault.began_s <= s.at_s <= fault.ended_s]
        known = [(at_s, lag) for at_s, lag in own if lag is not None]
        if len(known) >= 2 and known[-1][0] > known[0][0]:
            written = rate * (known[-1][0] - known[0][0])
            shares.append(1 - (known[-1][1] - known[0][1]) / written)
    least = min(shares, default=1.0)
    return Judgement(
        invariant="neighbours of hostile records keep 70 %",
        holds=least >= LEAST_SHARE,
        detail=f"{len(shares)} attacks, {pair[0]}->{pair[1]} copied at least {least:.0%} of what was written",
    )


def judge_follower(samples: Sequence[Sample], faults: Sequence[Fault], rate: float, pair: Pair) -> Judgement:
    """A copy that reads from a follower continues with the leader soon after the follower stalls."""
    stalls = [fault for fault in faults if fault.name == STALL_FOLLOWER]
    worst, looks = 0, 0
    for fault in stalls:
        after = [s for s in samples if fault.began_s + LEFT_WITHIN_S < s.at_s <= fault.ended_s]
        lags = [lag for lag in (s.own_lag.get(pair) for s in after) if lag is not None]
        looks += len(lags)
        worst = max([worst, *lags])
    return Judgement(
        invariant="a stalled follower is left",
        holds=worst <= LEFT_LAG_S * rate and (looks > 0 or not stalls),
        detail=f"{len(stalls)} stalls, {looks} looks after {LEFT_WITHIN_S:.0f} s, at most {worst:,} records behind",
    )


def judge_steps(steps: Steps) -> Judgement:
    """No step of a loop takes longer than half a second, but for what a frozen process or a busy machine adds."""
    return Judgement(
        invariant="no step of a loop above 500 ms",
        holds=not steps.slow,
        detail=steps.histogram() + (f"; above: {'; '.join(steps.slow[-5:])}" if steps.slow else ""),
    )


def judge_recovery(level_after_s: float | None, statuses: Mapping[Pair, str]) -> Judgement:
    """I10: without a human."""
    bad = {f"{a}->{b}": status for (a, b), status in statuses.items() if status not in ("healthy", "degraded")}
    when = "never" if level_after_s is None else f"{level_after_s:.0f} s after the last fault"
    return Judgement(
        invariant="I10 lag returns to 0 by itself",
        holds=level_after_s is not None and not bad,
        detail=f"level {when}" + (f"; {bad}" if bad else ""),
    )


def judge_names(topics: Mapping[str, Sequence[str]]) -> Judgement:
    """I11: no topic comes back to where it was; `topics` by cluster."""
    cycles = []
    for alias, names in topics.items():
        for name in names:
            hops = [part for part in name.split(".")[:-1] if part in topics]
            if len({alias, *hops}) != len(hops) + 1:
                cycles.append(f"{name} on {alias}")
    return Judgement(invariant="I11 nothing goes in cycles", holds=not cycles, detail=", ".join(cycles) or "no circle")


def judge_configs(differing: Mapping[str, Any]) -> Judgement:
    """I12: what was changed at the source arrived."""
    detail = ", ".join(f"{name}: {value}" for name, value in differing.items()) or "all alike"
    return Judgement(invariant="I12 topic configurations converge", holds=not differing, detail=detail)


def judge_memory(rss_bytes: Mapping[tuple[str, int], Sequence[int]]) -> Judgement:
    """Memory flat: the last third of a process's life beside the middle one, by name and process id.

    A process that was killed begins small again, so the looks of two lives are never compared.
    """
    grown, peaks = list[str](), dict[str, int]()
    judged = 0
    for (name, pid), values in rss_bytes.items():
        peaks[name] = max([peaks.get(name, 0), *values])
        third = len(values) // 3
        if len(values) < ENOUGH_MEMORY_LOOKS:
            continue
        judged += 1
        middle, last = fmean(values[third : 2 * third]), fmean(values[2 * third :])
        if last > MOST_GROWTH * middle:
            grown.append(f"{name} ({pid}) from {middle / 2**20:.0f} to {last / 2**20:.0f} MB")
    told = ", ".join(f"{name} {peak / 2**20:.0f}" for name, peak in peaks.items() if "driver" in name)
    return Judgement(
        invariant="memory is flat",
        holds=not grown,
        detail="; ".join(grown) or f"{judged} lives of {ENOUGH_MEMORY_LOOKS} looks judged; peaks in MB: {told}",
    )


def table(results: Sequence[Judgement]) -> str:
    width = max(len(judgement.invariant) for judgement in results)
    lines = [f"{v.invariant:<{width}}  {'pass' if v.holds else 'FAIL'}  {v.detail}" for v in results]
    return "\n".join(lines)
