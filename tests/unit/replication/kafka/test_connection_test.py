"""A connection test over real sockets: each way to fail is named with its step and its remedy."""

import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import pytest

from replication.domain.connection_test.report import BrokerReport, ConnectionReport, ConnectionTest, first_problem
from replication.domain.connection_test.steps import StepResult, first_failure
from replication.domain.errors import AuthenticationError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.kafka.connection_test.cluster_test import check_connection
from tests.support.servers.pki import Authority

LOOPBACK = "127.0.0.1"
Serve = Callable[[socket.socket], None]


def answers_http(connection: socket.socket) -> None:
    connection.recv(1024)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def answers_with_an_alert(connection: socket.socket) -> None:
    """As Java's TLS does to a request that is not TLS."""
    connection.recv(1024)
    connection.sendall(b"\x15\x03\x03\x00\x02\x02\x50")


def closes(connection: socket.socket) -> None:
    connection.recv(1024)


@contextmanager
def listening(serve: Serve | None, host: str = LOOPBACK) -> Iterator[int]:
    """A server on loopback; without `serve` it accepts and stays silent."""
    with socket.create_server((host, 0)) as listener:
        kept = []

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                kept.append(connection)
                if serve is not None:
                    with suppress(OSError):
                        serve(connection)
                    connection.close()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(5)
            for connection in kept:
                connection.close()


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


def tls(authority: Authority, folder: Path, *, life: timedelta = timedelta(days=90), wants_ours: bool = False) -> Serve:
    path = authority.issue("broker", life=life).write_pem(folder / "broker.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    if wants_ours:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=authority.root_pem)

    def serve(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False) as secured:
            try:
                secured.do_handshake()
                answers_http(secured)
            except ssl.SSLError:
                secured.settimeout(5)
                while socket.socket.recv(secured, 1024):  # a close with unread bytes would discard the alert
                    pass

    return serve


def trusting(authority: Authority) -> dict[str, str]:
    return {
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": authority.root_pem,
    }


def probed(*servers: str, deadline_s: float = 5.0, client: dict[str, str] | None = None) -> ConnectionReport:
    cluster = ClusterClient(alias="us-east", bootstrap=servers, client=client or {})
    return check_connection(cluster, ConnectionTest(deadline_s=deadline_s))


def failed(report: ConnectionReport) -> tuple[BrokerReport, StepResult]:
    (broker,) = report.brokers
    step = first_failure(broker.steps)
    assert step is not None
    return broker, step


def test_a_port_that_refuses_fails_at_tcp_and_later_steps_are_not_reached() -> None:
    with socket.create_server((LOOPBACK, 0)) as listener:
        port = listener.getsockname()[1]

    broker, step = failed(probed(f"{LOOPBACK}:{port}"))

    assert (step.name, step.text) == ("tcp", f"{LOOPBACK} refused the connection.")
    assert "Start the broker" in step.remedy
    assert [each.state for each in broker.steps] == ["ok", "failed", "not_reached", "not_reached"]


def test_a_name_that_does_not_exist_fails_at_the_name() -> None:
    _, step = failed(probed("no-such-broker.invalid:9092"))

    assert step.name == "name"
    assert "no-such-broker.invalid" in step.text
    assert "DNS" in step.remedy


def test_a_silent_port_fails_at_the_protocol_when_the_deadline_ends() -> None:
    with listening(None) as port:
        _, step = failed(probed(f"{LOOPBACK}:{port}", deadline_s=0.3))

    assert step.name == "protocol"
    assert step.text.startswith("No answer")


def test_a_silent_port_fails_at_tls_if_the_settings_say_tls(authority: Authority) -> None:
    with listening(None) as port:
        _, step = failed(probed(f"{LOOPBACK}:{port}", deadline_s=0.3, client=trusting(authority)))

    assert step.name == "tls"
    assert "in time" in step.text or step.text.startswith("No answer")


def test_a_server_that_is_not_kafka_is_named_as_such() -> None:
    with listening(answers_http) as port:
        _, step = failed(probed(f"{LOOPBACK}:{port}"))

    assert step.name == "protocol"
    assert "not of the Kafka protocol" in step.text


def test_a_server_that_closes_the_connection_points_to_the_security_protocol() -> None:
    with listening(closes) as port:
        _, step = failed(probed(f"{LOOPBACK}:{port}"))

    assert step.name == "protocol"
    assert "security.protocol" in step.remedy


def test_no_tls_to_a_port_with_tls_is_named() -> None:
    with listening(answers_with_an_alert) as port:
        _, step = failed(probed(f"{LOOPBACK}:{port}"))

    assert step.name == "protocol"
    assert "SSL" in step.remedy


def test_tls_to_a_port_without_tls_is_named(authority: Authority) -> None:
    with listening(answers_http) as port:
        _, step = failed(probed(f"{LOOPBACK}:{port}", client=trusting(authority)))

    assert step.name == "tls"
    assert "PLAINTEXT" in step.remedy


def test_an_expired_certificate_is_shown_with_its_dates(authority: Authority, tmp_path: Path) -> None:
    with listening(tls(authority, tmp_path, life=timedelta(days=-2))) as port:
        broker, step = failed(probed(f"{LOOPBACK}:{port}", client=trusting(authority)))

    assert step.name == "tls"
    assert step.remedy == "Renew the certificate of the broker."
    assert broker.certificate is not None
    assert step.text == f"The certificate CN=broker of the broker expired at {broker.certificate.end}."
    assert broker.certificate.subject == "CN=broker"
    assert broker.certificate.issuer == "CN=test root, intermediate".replace(",", "\\,")
    assert broker.certificate.days_left == -2 - 1
    assert broker.certificate.hostname_matches


def test_a_certificate_of_an_unknown_issuer_points_to_the_truststore(authority: Authority, tmp_path: Path) -> None:
    with listening(tls(authority, tmp_path)) as port:
        broker, step = failed(probed(f"{LOOPBACK}:{port}", client=trusting(Authority("another root"))))

    assert step.name == "tls"
    assert "ssl.truststore.location" in step.remedy
    assert broker.certificate is not None


def test_a_certificate_for_another_name_is_shown_with_its_names(authority: Authority, tmp_path: Path) -> None:
    with listening(tls(authority, tmp_path), "127.0.0.2") as port:
        broker, step = failed(probed(f"127.0.0.2:{port}", client=trusting(authority)))

    assert "names in the certificate" in step.remedy
    assert broker.certificate is not None
    assert not broker.certificate.hostname_matches
    assert "localhost" in broker.certificate.names


def test_a_broker_that_wants_our_certificate_fails_at_tls(authority: Authority, tmp_path: Path) -> None:
    with listening(tls(authority, tmp_path, wants_ours=True)) as port:
        broker, step = failed(probed(f"localhost:{port}", client=trusting(authority)))

    assert step.name == "tls", step
    assert "ssl.keystore.location" in step.remedy
    assert broker.certificate is not None


@pytest.mark.parametrize("newest", ["TLSv1.2", "TLSv1.3"])
def test_our_certificate_is_named_if_it_has_expired(authority: Authority, tmp_path: Path, newest: str) -> None:
    with listening(tls(authority, tmp_path, wants_ours=True)) as port:
        client = trusting(authority) | expired_identity(authority) | {"ssl.enabled.protocols": newest}
        _, step = failed(probed(f"localhost:{port}", client=client))

    assert step.name == "tls", step
    assert step.text.startswith("Our certificate CN=srm expired at 20")
    assert step.remedy == "Renew the certificate in ssl.keystore.location."


def expired_identity(authority: Authority) -> dict[str, str]:
    ours = authority.issue("srm", life=timedelta(days=-2))
    return {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.certificate.chain": ours.chain_pem,
        "ssl.keystore.key": ours.key_pem(),
    }


@pytest.mark.parametrize("whose", ["ours", "the broker's"])
def test_the_control_plane_names_a_certificate_that_has_expired(
    authority: Authority, tmp_path: Path, whose: str
) -> None:
    """librdkafka alone would blame the trusted certificates."""
    life = timedelta(days=9 if whose == "ours" else -2)
    client = trusting(authority) | (expired_identity(authority) if whose == "ours" else {})
    with listening(tls(authority, tmp_path, life=life, wants_ours=whose == "ours")) as port:
        admin = open_admin(ClusterClient(alias="east", bootstrap=(f"localhost:{port}",), client=client))
        with pytest.raises(AuthenticationError) as raised:
            admin.list_topics()
        admin.close()

    subject = "our certificate CN=srm" if whose == "ours" else "the certificate CN=broker of the broker"
    assert re.search(
        rf"cluster east .* refused the connection: {subject} expired at 20.* UTC; renew", str(raised.value)
    )


def test_a_good_handshake_is_ok_and_the_next_step_fails(authority: Authority, tmp_path: Path) -> None:
    with listening(tls(authority, tmp_path, life=timedelta(days=12))) as port:
        broker, step = failed(probed(f"localhost:{port}", client=trusting(authority)))

    assert step.name == "protocol"
    tls_step = next(each for each in broker.steps if each.name == "tls")
    assert tls_step.state == "ok"
    assert "expires in 11 days" in tls_step.text


def test_one_dead_broker_does_not_hide_the_others() -> None:
    with listening(None) as silent, listening(answers_http) as http:
        report = probed(f"{LOOPBACK}:{silent}", f"{LOOPBACK}:{http}", "no-such.invalid:1", deadline_s=0.5)

    steps = {broker.address: first_failure(broker.steps) for broker in report.brokers}
    assert {step.name for step in steps.values() if step is not None} == {"protocol", "name"}
    assert len(steps) == 3
    assert not report.ok
    assert "step protocol failed" in (first_problem(report.brokers) or "")


@pytest.mark.parametrize(
    ("servers", "client", "named"),
    [
        (("broker",), {}, "host:port"),
        (("broker:99999",), {}, "host:port"),
        (("broker:9092",), {"security.protocol": "TLS"}, "security.protocol"),
        (("broker:9092",), {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}, "sasl.jaas.config"),
    ],
)
def test_settings_that_cannot_be_used_are_an_error_of_the_report(
    servers: tuple[str, ...], client: dict[str, str], named: str
) -> None:
    report = probed(*servers, client=client)

    assert named in report.error
    assert report.brokers == ()
    assert not report.ok


def test_a_truststore_that_is_missing_is_an_error_of_the_report(tmp_path: Path) -> None:
    report = probed(
        "broker:9092", client={"security.protocol": "SSL", "ssl.truststore.location": str(tmp_path / "none.jks")}
    )

    assert "ssl.truststore.location: there is no file" in report.error
