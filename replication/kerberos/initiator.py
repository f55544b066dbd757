"""The client's half of SASL GSSAPI (RFC 4752) as Kafka uses it: authentication, and no protection of what follows."""

import hashlib
import os

from replication.config.security.client_security import KerberosLogin
from replication.kerberos.gssapi import KerberosError, SecurityContext

__all__ = ["KerberosError", "KerberosInitiator", "open_initiator"]

_NO_PROTECTION = 1


class KerberosInitiator:
    """One login. `start` may ask the KDC and blocks; the rest is arithmetic."""

    def __init__(self, context: SecurityContext) -> None:
        self._context = context
        self._token = b""
        self._has_answered = False
        self.is_done = False

    def start(self) -> None:
        """Get the ticket and the first token. Raises KerberosError."""
        self._token = self._context.step(None)

    def next_token(self) -> bytes:
        """Return the token to send to the broker."""
        return self._token

    def receive(self, token: bytes) -> None:
        """Process a token of the broker. Raises KerberosError when the broker does not prove its identity."""
        if self._has_answered:
            self.is_done = True
        elif not self._context.is_complete:
            self._token = self._context.step(token)
        else:
            self._token = self._context.wrap(_chosen_layer(self._context.unwrap(token)))
            self._has_answered = True


def _chosen_layer(offer: bytes) -> bytes:
    """The broker offers a bit mask of layers and its buffer size; we name no authorization id, so it takes our own."""
    if len(offer) < 4 or not offer[0] & _NO_PROTECTION:
        raise KerberosError("Kerberos: the broker insists on a security layer that Kafka does not have")
    return bytes([_NO_PROTECTION]) + offer[1:4]


def open_initiator(login: KerberosLogin, host: str) -> KerberosInitiator:
    """A login at this broker, not started yet. Raises KerberosError."""
    if login.keytab is not None and not os.access(login.keytab, os.R_OK):
        raise KerberosError(f"the keytab {login.keytab} is not there or cannot be read")
    return KerberosInitiator(SecurityContext(f"{login.service}@{host}", login.principal, _store(login)))


def _store(login: KerberosLogin) -> dict[str, str]:
    """With a keytab, tickets live in this process's memory and renew themselves; kinit is not needed."""
    if login.keytab is not None:
        name = hashlib.sha256(f"{login.keytab} {login.principal}".encode()).hexdigest()[:16]
        return {"client_keytab": f"FILE:{login.keytab}", "ccache": f"MEMORY:srm-{name}"}
    return {"ccache": f"FILE:{login.ticket_cache}"} if login.ticket_cache is not None else {}
