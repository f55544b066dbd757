"""TLS with a broker: the handshake, the certificates of both sides, and the one that has expired."""

import socket
import ssl
import time
from collections.abc import Callable

from cryptography import x509

from replication.config.security.client_security import client_security
from replication.config.security.ssl_context import ssl_context
from replication.config.security.tls import TlsSettings, read_material
from replication.domain.connection_test.certificate import Certificate
from replication.domain.connection_test.failures import StepFailedError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.connection_test.address import parse_address
from replication.kafka.connection_test.api_versions import ask_api_versions
from replication.kafka.connection_test.certificates import certificate_of, described
from replication.kafka.connection_test.sockets import Resolved, connect, handshake, presented_certificate, resolve

_ATTEMPT_S = 3.0
_REFUSALS = ("certificate_", "client_certificate", "tls_")


def secure(
    connection: socket.socket, tls: TlsSettings, host: str, deadline_s: float, note: Callable[[Certificate], None]
) -> tuple[ssl.SSLSocket, Certificate | None]:
    """Return the TLS socket and the certificate of the broker, which `note` gets even if the handshake fails.

    Raises StepFailedError.
    """
    peer: Resolved = (connection.family, connection.getpeername())
    try:
        context = ssl_context(tls)
    except (ValueError, OSError) as error:
        connection.close()
        raise StepFailedError("tls_settings", str(error)) from error
    try:
        secured, data = handshake(connection, context, host, deadline_s)
    except StepFailedError as error:
        if not error.kind.startswith("certificate_"):
            raise own_expiry(error, tls) or error from None
        certificate = _noted(presented_certificate(peer, host, deadline_s), host, note)
        if error.kind != "certificate_expired" or certificate is None:
            raise
        text = f"the certificate {certificate.subject} of the broker expired at {certificate.end}"
        raise StepFailedError(error.kind, text) from error
    return secured, _noted(data, host, note)


def _noted(data: bytes, host: str, note: Callable[[Certificate], None]) -> Certificate | None:
    try:
        certificate = certificate_of(data, host)
    except ValueError:
        return None
    note(certificate)
    return certificate


def own_expiry(failure: StepFailedError, tls: TlsSettings) -> StepFailedError | None:
    """Return a failure that names our certificate if the broker refused it and it has expired."""
    if failure.kind != "client_certificate":
        return None
    try:
        chain = read_material(tls).chain
        ours = None if chain is None else described(x509.load_pem_x509_certificate(chain.encode()), "")
    except ValueError:
        return None
    if ours is None or not ours.has_expired:
        return None
    return StepFailedError("client_certificate_expired", f"our certificate {ours.subject} expired at {ours.end}")


def refused_handshake(cluster: ClusterClient) -> StepFailedError | None:
    """Return why TLS with the first bootstrap server that accepts a connection is refused, by us or by it; else None.

    librdkafka blames the trusted certificates for all that we refuse. Blocks for some seconds at most.
    """
    tls = client_security(cluster.client, cluster.alias).tls
    if tls is None:
        return None
    deadline_s = time.monotonic() + _ATTEMPT_S
    for server in cluster.bootstrap:
        address = parse_address(server)
        try:
            connection = connect(resolve(address), deadline_s)
        except StepFailedError:
            continue  # another one may be up
        try:
            secured, _ = secure(connection, tls, address.host, deadline_s, lambda _: None)
            with secured:
                ask_api_versions(secured, deadline_s)  # a broker refuses our certificate after the handshake only
        except StepFailedError as error:
            return (own_expiry(error, tls) or error) if error.kind.startswith(_REFUSALS) else None
        return None
    return None
