"""One cluster's login in a data worker: what all connections with the same settings share.

Certificates are read again when their files change, and tokens are kept until they must be renewed. After a refusal
only one connection at a time tries again, ever later: hundreds of slots with a wrong password must not hammer a broker.
"""

import threading
import time
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

from kafka.net.sasl.oauth import AbstractTokenProvider

from replication.config.security.client_security import ClientSecurity, client_security
from replication.config.security.oauth_tokens import BearerToken, TokenError, TokenSource
from replication.config.security.ssl_context import ssl_context
from replication.domain.plan.slot import ClusterClient
from replication.kerberos.initiator import KerberosError, KerberosInitiator, open_initiator
from replication.wire.network.error_translation import LoginRefusedError

FIRST_PAUSE_S = 1.0
EXCHANGES_AT_ONCE = 8  # of a process: the old connections serve meanwhile, and logins compute
LONGEST_PAUSE_S = 10.0


class ClusterLogin:
    """`prepare` and `tls_context` block and run on helper threads; the rest belongs to the loop's thread."""

    def __init__(self, security: ClientSecurity, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self.security = security
        self._monotonic_s = monotonic_s
        self._lock = threading.Lock()
        self._context: Any = None
        self._context_of = b""
        self._tokens = TokenSource(security.oauth) if security.oauth is not None else None
        self.refusals = 0  # in a row
        self._closed_until_s = 0.0
        self._refused: LoginRefusedError | None = None
        self._refused_with = b""
        self._exchanges = 0

    def settings(self) -> dict[str, Any]:
        """Keyword arguments of kafka-python's connection manager; what changes is handed over later."""
        security = self.security
        settings: dict[str, Any] = {"security_protocol": security.protocol}
        settings |= dict.fromkeys(("sasl_mechanism", "sasl_plain_username", "sasl_plain_password"))
        if security.uses_sasl:
            settings["sasl_mechanism"] = security.mechanism
        if security.username is not None:
            settings["sasl_plain_username"] = (
                security.username if security.mechanism == "PLAIN" else _scram_name(security.username)
            )
            settings["sasl_plain_password"] = security.password
        return settings

    def tls_context(self) -> Any:
        """The context of now. Blocks; raises LoginRefusedError when the files cannot be used."""
        tls = self.security.tls
        if tls is None:
            return None
        with self._lock:
            found = self.security.fingerprint()
            if self._context is None or self._context_of != found:
                try:
                    self._context = ssl_context(tls)
                except ValueError as error:
                    raise LoginRefusedError(str(error)) from error
                self._context_of = found
            return self._context

    def prepare(self, host: str) -> dict[str, Any]:
        """Return what a login needs and may take time: a token, or a ticket for this broker. Blocks."""
        if self._tokens is not None:
            try:
                return {"sasl_oauth_token_provider": _Provider(self._tokens.token())}
            except TokenError as error:
                raise LoginRefusedError(str(error)) from error
        if self.security.kerberos is not None:
            try:
                return {"sasl_kerberos_name": _opened(open_initiator(self.security.kerberos, host))}
            except KerberosError as error:
                raise LoginRefusedError(str(error)) from error
        return {}

    def check(self) -> None:
        """Raise the refusal of before while it is too early to try again; new files may be tried immediately."""
        if self._refused is None:
            return
        now_s = self._monotonic_s()
        if now_s < self._closed_until_s and self._refused_with == self.security.fingerprint():
            raise self._refused
        self._closed_until_s = now_s + self.pause_s  # this attempt is the one

    def refused(self, error: BaseException) -> None:
        """The cluster would not have us."""
        self.refusals += 1
        self._refused = error if isinstance(error, LoginRefusedError) else LoginRefusedError(str(error))
        self._refused_with = self.security.fingerprint()
        self._closed_until_s = self._monotonic_s() + self.pause_s

    @property
    def is_refused(self) -> bool:
        """True when the last attempt was refused."""
        return self._refused is not None

    def accepted(self) -> None:
        """A login succeeded: everybody may."""
        self.refusals = 0
        self._refused = None

    def may_exchange(self) -> bool:
        """Return whether one more connection may be exchanged; then `exchanged` must follow."""
        if self._exchanges >= EXCHANGES_AT_ONCE:
            return False
        self._exchanges += 1
        return True

    def exchanged(self) -> None:
        """The exchange has ended, well or not."""
        self._exchanges -= 1

    @property
    def pause_s(self) -> float:
        """The time after a refusal in which no login is tried."""
        return min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** max(0, self.refusals - 1))


class _Provider(AbstractTokenProvider):  # type: ignore[misc] # kafka-python has no types
    """One token for one login."""

    def __init__(self, token: BearerToken) -> None:
        super().__init__()
        self._token = token

    def token(self) -> str:
        return self._token.text

    def extensions(self) -> dict[str, str]:
        return dict(self._token.extensions)


def _opened(initiator: KerberosInitiator) -> KerberosInitiator:
    initiator.start()
    return initiator


def _scram_name(username: str) -> str:
    """RFC 5802 escapes two characters of a name; kafka-python does not."""
    return username.replace("=", "=3D").replace(",", "=2C")


_LOGINS: WeakValueDictionary[tuple[Any, ...], ClusterLogin] = WeakValueDictionary()
_LOGINS_LOCK = threading.Lock()


def cluster_login(cluster: ClusterClient) -> ClusterLogin:
    """The one login of these settings in this process. Raises ConfigurationError."""
    key = (cluster.alias, cluster.bootstrap, tuple(sorted(cluster.client.items())))
    with _LOGINS_LOCK:
        login = _LOGINS.get(key)
        if login is None:
            login = _LOGINS[key] = ClusterLogin(client_security(cluster.client, cluster.alias))
        return login
