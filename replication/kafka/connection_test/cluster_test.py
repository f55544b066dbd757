"""The test of a cluster: all brokers in parallel, those that the cluster advertises too, under one deadline."""

import queue
import threading
import time
from dataclasses import dataclass, field

from replication.config.security.client_security import ClientSecurity, client_security
from replication.domain.connection_test.report import BrokerOrigin, ConnectionReport, ConnectionTest
from replication.domain.connection_test.steps import steps_of
from replication.domain.errors import ConfigurationError
from replication.domain.plan.slot import ClusterClient
from replication.domain.sentences import sentence
from replication.kafka.connection_test.address import BrokerAddress, parse_address
from replication.kafka.connection_test.broker_test import BrokerTest
from replication.kafka.connection_test.kafka_steps import BrokerMetadata
from replication.kafka.connection_test.step_log import StepLog

MOST_BROKERS = 50


def check_connection(cluster: ClusterClient, options: ConnectionTest) -> ConnectionReport:
    """Test each broker. Returns when all have answered, at the latest at the deadline; raises nothing."""
    try:
        security = client_security(cluster.client, cluster.alias)
        addresses = [parse_address(server) for server in cluster.bootstrap]
    except ConfigurationError as error:
        return ConnectionReport(error=sentence(error.text))
    except ValueError as error:
        return ConnectionReport(error=sentence(f"cluster {cluster.alias}: {error}"))
    run = _ClusterTest(cluster, security, options)
    for address in addresses:
        run.start(address, "bootstrap")
    run.wait()
    return run.report()


@dataclass(slots=True)
class _Found:
    """The cluster as the first broker that answered describes it."""

    metadata: BrokerMetadata | None = None
    untested: int = 0
    logs: dict[BrokerAddress, StepLog] = field(default_factory=dict)
    running: int = 0


class _ClusterTest:
    """Used by one thread; the threads of the brokers talk to it through a queue."""

    def __init__(self, cluster: ClusterClient, security: ClientSecurity, options: ConnectionTest) -> None:
        self._cluster = cluster
        self._security = security
        self._options = options
        self._deadline_s = time.monotonic() + options.deadline_s
        self._steps = steps_of(
            uses_tls=security.uses_tls, uses_sasl=security.uses_sasl, checks_rights=bool(options.uses)
        )
        self._events: queue.SimpleQueue[BrokerMetadata | None] = queue.SimpleQueue()
        self._found = _Found()

    def start(self, address: BrokerAddress, origin: BrokerOrigin) -> None:
        """Test a broker in its own thread; an address is tested once."""
        if address in self._found.logs:
            return
        if len(self._found.logs) >= MOST_BROKERS:
            self._found.untested += 1
            return
        log = self._found.logs[address] = StepLog(address, origin, self._steps)
        test = BrokerTest(
            self._cluster, self._security, address, log=log, uses=self._options.uses, deadline_s=self._deadline_s
        )
        self._found.running += 1
        threading.Thread(target=self._run, args=(test,), name=f"test {address}", daemon=True).start()

    def _run(self, test: BrokerTest) -> None:
        try:
            test.run(self._events.put)
        finally:
            self._events.put(None)

    def wait(self) -> None:
        """Return when all brokers have been tested, or at the deadline."""
        while self._found.running:
            try:
                event = self._events.get(timeout=max(0.0, self._deadline_s - time.monotonic()))
            except queue.Empty:
                return
            if event is None:
                self._found.running -= 1
            elif self._found.metadata is None:
                self._found.metadata = event
                self._follow(event)

    def _follow(self, metadata: BrokerMetadata) -> None:
        """Test the advertised addresses. Through the Kerberos gateway these are addresses of this machine."""
        if self._options.follows_advertised and self._security.kerberos is None:
            for address in metadata.brokers:
                self.start(address, "advertised")

    def report(self) -> ConnectionReport:
        found = self._found
        return ConnectionReport(
            brokers=tuple(log.close() for log in found.logs.values()),
            cluster_id=None if found.metadata is None else found.metadata.cluster_id,
            broker_count=None if found.metadata is None else len(found.metadata.brokers),
            untested=found.untested,
        )
