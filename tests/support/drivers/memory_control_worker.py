"""A control worker's desk over clusters in memory, in a thread: it answers a service's questions as a driver does."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from replication.connectors.plan.source_connector import SourceConnector
from replication.connectors.topics.applied_ledger import AppliedLedger
from replication.domain.desired.desired_document import DesiredDocument
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.slot import ClusterClient
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.worker.clock import SystemClock
from replication.worker.questions.desk import QuestionDesk
from replication.worker.questions.flow_answers import Present
from replication.worker.questions.flow_ports import FlowPorts
from replication.worker.questions.question_box import QuestionBox
from replication.worker.state.desired_cache import AppliedDesired, open_client
from tests.support.groups.memory_ports import memory_group_admins, memory_group_ports

_LOOK_S = 0.02


@dataclass(slots=True)
class MemoryControlWorker:
    """Leads `targets`; the clusters are by alias and made at their first use."""

    redis_url: str
    transport_keys: Sequence[str]
    targets: frozenset[str]
    clusters: dict[str, MemoryCluster] = field(default_factory=dict)
    present: dict[str, Present] = field(default_factory=dict)

    def cluster(self, alias: str) -> MemoryCluster:
        return self.clusters.setdefault(alias, MemoryCluster(alias))

    def runs(self, document: DesiredDocument) -> None:
        """The flows of the document run: they have planned."""
        clients = {alias: open_client(self.transport_keys, alias, each) for alias, each in document.clusters.items()}
        plans: dict[str, PlanDocument] = {}
        for flow in document.flows:
            source, target = (MemoryAdmin(self.cluster(alias)) for alias in (flow.source, document.target))
            plans[flow.source] = SourceConnector(flow, document.target, source, target).run_once(None, 0)
        applied = AppliedDesired(document=document, clients=clients, rejected=())
        self.present[document.target] = Present(applied=applied, plans=plans)

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Answer questions until the end of the block."""
        box, stopped = QuestionBox(self.redis_url), threading.Event()
        desk = QuestionDesk(box, self._ports, self.transport_keys, SystemClock(), driver="d1")

        def look() -> None:
            while not stopped.wait(_LOOK_S):
                desk.accept_waiting(self.targets.__contains__, self._present)

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()
            desk.close()

    def _present(self, target: str) -> Present:
        return self.present.get(target, Present(applied=None, plans={}))

    def _ports(self, source: ClusterClient, target: ClusterClient) -> FlowPorts:
        clusters = self.cluster(source.alias), self.cluster(target.alias)
        return FlowPorts(
            source=MemoryAdmin(clusters[0]),
            target=MemoryAdmin(clusters[1]),
            ledger=AppliedLedger(),
            open_groups=lambda topics, back: memory_group_ports(*clusters, topics, back),
            open_group_admins=lambda: memory_group_admins(*clusters),
        )
