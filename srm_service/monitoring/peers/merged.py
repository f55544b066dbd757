"""All flows: those of this service, and those that other services report into remote targets."""

import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from replication.domain.reporting.histogram import Histogram
from srm_service.core.contracts import Partial
from srm_service.monitoring.contracts import FlowNow, Overview
from srm_service.monitoring.flows.overview import overview
from srm_service.monitoring.peers.flow_report import FlowReport, read_report
from srm_service.remote.asking.kept import PeerAnswer, PeerAnswers
from srm_service.remote.contracts import PeerPlan
from srm_service.remote.selectors import peer_plan

FLOWS_PATH = "flows"
_answers = PeerAnswers(FLOWS_PATH)


def merged_overview() -> Overview:
    """The own flows and those of other services, at most a second old. `partial` names services without an answer.

    Never fails because of another service; waits for them at most one and a half times the time limit.
    """
    now, plan = overview(), peer_plan()
    if not plan.remote_targets:
        return now
    reports = _read(plan)
    own = {flow.key for flow in now.flows}
    flows: dict[str, FlowNow] = {}
    latency: dict[str, Histogram] = {}
    for target, report in _chosen(plan, reports):
        for flow in report.flows:
            if flow.target == target and flow.key not in own and flow.key not in flows:
                flows[flow.key] = flow
                latency[flow.key] = report.latency[flow.key]
    merged = sorted((*now.flows, *flows.values()), key=lambda flow: (flow.source, flow.target))
    partial = (*now.partial, *_partial(plan, reports))
    silent = frozenset(address for address, (answer, _) in reports.items() if answer.error)
    return replace(now, flows=tuple(merged), partial=partial, remote_latency=latency, silent=silent)


def forget_reports() -> None:
    """Forget what other services reported: between tests."""
    _answers.forget()
    _decoded.forget()


Reports = Mapping[str, tuple[PeerAnswer, FlowReport]]


def _read(plan: PeerPlan) -> Reports:
    return {address: (answer, _decoded.read(address, answer)) for address, answer in _answers.read(plan).items()}


class _Decoded:
    """Reads each report once, although many requests use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, tuple[Any, FlowReport]] = {}

    def read(self, address: str, answer: PeerAnswer) -> FlowReport:
        if answer.body is None or answer.hello is None:
            return FlowReport()
        with self._lock:
            known = self._known.get(address)
            if known is None or known[0] is not answer.body:
                report = read_report(answer.body, address, clock_difference_ms=answer.hello.clock_difference_ms)
                known = self._known[address] = answer.body, report
            return known[1]

    def forget(self) -> None:
        with self._lock:
            self._known = {}


_decoded = _Decoded()


def _chosen(plan: PeerPlan, reports: Reports) -> Iterator[tuple[str, FlowReport]]:
    """The report for each target: of the first service that answered now, or else the newest one that is usable."""
    for target, addresses in plan.by_target.items():
        usable = [reports[address] for address in addresses if address in reports and reports[address][0].body]
        usable.sort(key=lambda found: bool(found[0].error))
        if usable:
            yield target, usable[0][1]


def _partial(plan: PeerPlan, reports: Reports) -> Iterable[Partial]:
    for target in plan.remote_targets:
        if target not in plan.by_target:
            yield Partial(peer=target, error="no service that may be asked advertises itself there")
    for address, reason in plan.refused.items():
        yield Partial(peer=address, error=reason)
    for address, (answer, report) in reports.items():
        yield from _problems(address, answer, report)


def _problems(address: str, answer: PeerAnswer, report: FlowReport) -> Iterable[Partial]:
    if answer.error:
        yield Partial(peer=address, error=answer.error, age_ms=None if answer.body is None else answer.age_ms)
    if answer.hello is not None and answer.hello.clock_problem:
        yield Partial(peer=address, error=answer.hello.clock_problem)
    if report.skipped:
        yield Partial(peer=address, error=f"{report.skipped} of its flows cannot be read: upgrade the older service")
    for part in report.partial:
        yield replace(part, peer=f"{address} {part.peer}"[:200])
