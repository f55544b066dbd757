"""The result of a connection test: one entry per broker."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from replication.domain.connection_test.certificate import Certificate
from replication.domain.connection_test.rights import ClusterUse, RightResult
from replication.domain.connection_test.steps import StepResult, first_failure

BrokerOrigin = Literal["bootstrap", "advertised"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionTest:
    """The options of a test. Without uses, rights are not checked."""

    deadline_s: float
    uses: frozenset[ClusterUse] = frozenset()
    follows_advertised: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerReport:
    """One broker address with its steps."""

    address: str
    origin: BrokerOrigin
    steps: tuple[StepResult, ...]
    ip_addresses: tuple[str, ...] = ()
    kafka_version: str | None = None
    certificate: Certificate | None = None
    rights: tuple[RightResult, ...] = ()

    @property
    def ok(self) -> bool:
        return all(step.state == "ok" for step in self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionReport:
    """All tested brokers. `error` is set if the client settings cannot be used; no broker is reached then."""

    brokers: tuple[BrokerReport, ...] = ()
    cluster_id: str | None = None
    broker_count: int | None = None
    untested: int = 0
    error: str = field(default="")

    @property
    def ok(self) -> bool:
        return not self.error and bool(self.brokers) and all(broker.ok for broker in self.brokers)


def first_problem(brokers: Iterable[BrokerReport]) -> str | None:
    """Name the first broker that failed, the step and the remedy; None if all succeeded."""
    for broker in brokers:
        failed = first_failure(broker.steps)
        if failed is not None:
            return f"Broker {broker.address}: step {failed.name} failed. {failed.text} {failed.remedy}"
    return None


def oldest_kafka_version(brokers: Iterable[BrokerReport]) -> str | None:
    """Return the oldest release among the brokers that showed one."""
    known = [broker.kafka_version for broker in brokers if broker.kafka_version is not None]
    return min(known, key=lambda version: [int(part) for part in version.split(".")], default=None)


def earliest_certificate_end_ms(brokers: Iterable[BrokerReport]) -> int | None:
    """Return the earliest end of the certificates that brokers presented."""
    return min((broker.certificate.not_after_ms for broker in brokers if broker.certificate is not None), default=None)
