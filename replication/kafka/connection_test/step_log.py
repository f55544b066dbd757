"""The results of one broker's steps while they are found; another thread may read them at any time."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import structlog

from replication.domain.connection_test.certificate import Certificate
from replication.domain.connection_test.failures import FailureKind, StepFailedError, remedy_of
from replication.domain.connection_test.report import BrokerOrigin, BrokerReport
from replication.domain.connection_test.rights import RightResult
from replication.domain.connection_test.steps import StepName, StepResult, with_unreached
from replication.domain.sentences import sentence
from replication.kafka.connection_test.address import BrokerAddress

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class StepText:
    """The text of a successful step, which the step may set."""

    text: str = ""


class StepLog:
    """Steps run one after another; the first failure ends the test of the broker."""

    def __init__(self, address: BrokerAddress, origin: BrokerOrigin, wanted: Sequence[StepName]) -> None:
        self._lock = threading.Lock()
        self._wanted = wanted
        self._host = address.host
        self._report = BrokerReport(address=str(address), origin=origin, steps=())
        self._running: tuple[StepName, float] | None = None
        self._closed = False

    @contextmanager
    def step(self, name: StepName) -> Iterator[StepText]:
        """Record how the block ends; raises StepFailedError again."""
        begun_s = time.monotonic()
        with self._lock:
            self._running = (name, begun_s)
        said = StepText()
        try:
            yield said
        except StepFailedError as error:
            # a broker that wants a client certificate says so after the handshake only
            blamed: StepName = "tls" if error.kind.startswith("client_certificate") else name
            self._fail(blamed, begun_s, error.kind, error.text)
            raise
        except Exception as error:
            _log.exception("connection test failed", broker=self._report.address, step=name)
            self._fail(name, begun_s, "internal_error", f"internal error ({type(error).__name__})")
            raise StepFailedError("internal_error", "internal error") from error
        self._end(StepResult(name=name, state="ok", took_ms=_ms_since(begun_s), text=said.text))

    def found_ip_addresses(self, ip_addresses: tuple[str, ...]) -> None:
        with self._lock:
            self._report = replace(self._report, ip_addresses=ip_addresses)

    def found_certificate(self, certificate: Certificate) -> None:
        with self._lock:
            self._report = replace(self._report, certificate=certificate)

    def found_kafka_version(self, kafka_version: str | None) -> None:
        with self._lock:
            self._report = replace(self._report, kafka_version=kafka_version)

    def found_rights(self, rights: tuple[RightResult, ...]) -> None:
        with self._lock:
            self._report = replace(self._report, rights=rights)

    def close(self) -> BrokerReport:
        """Return the report; a step that has not ended counts as one without an answer."""
        with self._lock:
            running = None if self._closed else self._running
        if running is not None:
            name, begun_s = running
            self._fail(name, begun_s, "no_answer", f"no answer within {time.monotonic() - begun_s:.1f} s")
        with self._lock:
            self._closed = True
            return replace(self._report, steps=with_unreached(self._wanted, self._report.steps))

    def _fail(self, name: StepName, begun_s: float, kind: FailureKind, text: str) -> None:
        told, remedy = sentence(text, self._host), sentence(remedy_of(kind, name))
        self._end(StepResult(name=name, state="failed", took_ms=_ms_since(begun_s), text=told, remedy=remedy))

    def _end(self, result: StepResult) -> None:
        with self._lock:
            if not self._closed:
                others = tuple(step for step in self._report.steps if step.name != result.name)
                self._report = replace(self._report, steps=(*others, result))
            self._running = None


def _ms_since(begun_s: float) -> int:
    return round((time.monotonic() - begun_s) * 1000)
