"""Name resolution, TCP and TLS of a connection test."""

import re
import socket
import ssl
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from replication.domain.connection_test.failures import FailureKind, StepFailedError
from replication.kafka.connection_test.address import BrokerAddress

_ATTEMPT_S = 3.0
_VERIFY_KINDS: dict[int, FailureKind] = {  # X509_V_ERR_* of OpenSSL
    9: "certificate_not_yet_valid",
    10: "certificate_expired",
    62: "certificate_hostname",
    64: "certificate_hostname",
}
_NOT_TLS = frozenset({"WRONG_VERSION_NUMBER", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE", "UNEXPECTED_EOF"})
_WANTS_CERTIFICATE = (
    "CERTIFICATE_REQUIRED",
    "BAD_CERTIFICATE",
    "UNKNOWN_CA",
    "CERTIFICATE_UNKNOWN",
    "CERTIFICATE_EXPIRED",
)

_AROUND_TEXT = re.compile(r"^\[SSL[^\]]*\] | \(_ssl\.c:\d+\)$")  # Python's, where it has no name for a reason

Resolved = tuple[int, Any]  # family, socket address


def resolve(address: BrokerAddress) -> tuple[Resolved, ...]:
    """Look the name up. Blocks; raises StepFailedError."""
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no host name"
        raise StepFailedError("name_unknown", f"{address.host} cannot be resolved: {reason}") from error
    return tuple(dict.fromkeys((int(family), place) for family, _, _, _, place in found))


def connect(resolved: Sequence[Resolved], deadline_s: float) -> socket.socket:
    """Connect to the first address that accepts. Raises StepFailedError with the reason of each."""
    failures: list[tuple[FailureKind, str]] = []
    for family, place in resolved:
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.settimeout(max(0.05, min(_ATTEMPT_S, deadline_s - time.monotonic())))
            connection.connect(place)
        except OSError as error:
            connection.close()
            failures.append(_connect_failure(str(place[0]), error))
        else:
            return connection
    kinds = {kind for kind, _ in failures}
    kind: FailureKind = kinds.pop() if len(kinds) == 1 else "connection_failed"
    raise StepFailedError(kind, "; ".join(text for _, text in failures))


def handshake(
    connection: socket.socket, context: ssl.SSLContext, host: str, deadline_s: float
) -> tuple[ssl.SSLSocket, bytes]:
    """Return the TLS socket and the broker's certificate. Raises StepFailedError."""
    connection.settimeout(max(0.05, deadline_s - time.monotonic()))
    try:
        secured = context.wrap_socket(connection, server_hostname=host)
    except (OSError, ValueError) as error:
        connection.close()
        raise tls_failure(error) from error
    return secured, secured.getpeercert(binary_form=True) or b""


def presented_certificate(address: Resolved, host: str, deadline_s: float) -> bytes:
    """Return the certificate that a broker presents, without a check and without our own; empty if it fails."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with suppress(OSError, ValueError, StepFailedError):
        secured, certificate = handshake(connect([address], deadline_s), context, host, deadline_s)
        secured.close()
        return certificate
    return b""


def tls_failure(error: Exception) -> StepFailedError:
    """Return the failure of a handshake, or of the first bytes after it."""
    if isinstance(error, ssl.SSLCertVerificationError):
        verified = _VERIFY_KINDS.get(error.verify_code, "certificate_untrusted")
        return StepFailedError(verified, f"the broker's certificate is refused: {error.verify_message}")
    if isinstance(error, TimeoutError):
        return StepFailedError("no_answer", "the TLS handshake did not finish in time")
    if isinstance(error, ssl.SSLError):
        reason = (error.reason or _AROUND_TEXT.sub("", str(error))).upper().replace(" ", "_")
        if any(word in reason for word in _WANTS_CERTIFICATE):
            return StepFailedError("client_certificate", f"the broker refused our certificate: {_words(reason)}")
        kind: FailureKind = "not_tls" if any(word in reason for word in _NOT_TLS) else "tls_refused"
        return StepFailedError(kind, f"the TLS handshake failed: {_words(reason) or 'unknown reason'}")
    if isinstance(error, ConnectionResetError | BrokenPipeError):
        return StepFailedError("not_tls", "the broker closed the connection during the TLS handshake")
    return StepFailedError("tls_refused", f"the TLS handshake failed: {error}")


def _connect_failure(place: str, error: OSError) -> tuple[FailureKind, str]:
    if isinstance(error, ConnectionRefusedError):
        return "connection_refused", f"{place} refused the connection"
    if isinstance(error, TimeoutError):
        return "no_answer", f"{place} did not accept the connection in time"
    return "connection_failed", f"{place}: {error.strerror or error}"


def _words(reason: str) -> str:
    return reason.replace("_", " ").lower()
