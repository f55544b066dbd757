"""Connection tests of clusters, a limited number at a time, with all secrets removed from their texts."""

import re
import threading
from collections.abc import Collection, Iterable
from dataclasses import replace

from replication.domain.connection_test.report import BrokerReport, ConnectionReport, ConnectionTest, first_problem
from replication.domain.connection_test.rights import ClusterUse
from replication.domain.plan.slot import ClusterClient
from srm_service.clusters.contracts import ClusterAccess
from srm_service.trail.contracts import TrailSubject
from srm_service.trail.services import record
from srm_service.wiring import connection_report

MOST_AT_ONCE = 4
_SHORTEST_SECRET = 4
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_running = threading.BoundedSemaphore(MOST_AT_ONCE)


class TooManyTestsError(Exception):
    """Other connection tests are running."""


def run_connection_test(
    access: ClusterAccess, *, uses: Collection[ClusterUse], deadline_s: float, by: str
) -> ConnectionReport:
    """Test the connection to every broker, and record who did. Raises TooManyTestsError."""
    if not _running.acquire(blocking=False):
        raise TooManyTestsError(f"{MOST_AT_ONCE} connection tests are running: repeat this one in a few seconds")
    try:
        report = tested(access, ConnectionTest(deadline_s=deadline_s, uses=frozenset(uses)))
    finally:
        _running.release()
    problem = report.error or first_problem(report.brokers) or ""
    after = {"bootstrap": access.bootstrap, "used_as": sorted(uses), "ok": report.ok, "problem": problem}
    record(by=by, action="cluster.test", subject=TrailSubject("cluster", access.alias), after=after)
    return report


def tested(access: ClusterAccess, options: ConnectionTest) -> ConnectionReport:
    """Run a test; its texts hold no secret."""
    client = ClusterClient(alias=access.alias, bootstrap=access.bootstrap, client={**access.client, **access.secrets})
    report = connection_report(client, options)
    hidden = _secret_texts(access.secrets.values())
    return replace(
        report,
        error=_without(hidden, report.error),
        brokers=tuple(_redacted(broker, hidden) for broker in report.brokers),
    )


def _redacted(broker: BrokerReport, hidden: Collection[str]) -> BrokerReport:
    return replace(broker, steps=tuple(replace(step, text=_without(hidden, step.text)) for step in broker.steps))


def _secret_texts(secrets: Iterable[str]) -> list[str]:
    """The secrets and the quoted parts of them, such as the password in a JAAS line; the longest first."""
    texts = {text for secret in secrets for text in (secret, *_QUOTED.findall(secret))}
    return sorted((text for text in texts if len(text) >= _SHORTEST_SECRET), key=len, reverse=True)


def _without(hidden: Iterable[str], text: str) -> str:
    for secret in hidden:
        text = text.replace(secret, "***")
    return text
