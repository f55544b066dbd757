"""Client security as one value, read once from Java's keys; each client library renders it in its own way.

PLAINTEXT, SSL, SASL_PLAINTEXT and SASL_SSL; PLAIN, SCRAM, OAUTHBEARER and GSSAPI. The keys, their defaults and the
classes are those of Kafka's SaslConfigs, SslConfigs and JaasContext.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from replication.config.security.jaas import JaasLogin, parse_jaas
from replication.config.security.oauth_login import OAuthLogin, read_oauth
from replication.config.security.tls import TlsSettings, fingerprint, read_tls
from replication.domain.errors import ConfigurationError

SecurityProtocol = Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
SaslMechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI"]
_MODULES = {
    "PLAIN": "PlainLoginModule",
    "SCRAM-SHA-256": "ScramLoginModule",
    "SCRAM-SHA-512": "ScramLoginModule",
    "OAUTHBEARER": "OAuthBearerLoginModule",
    "GSSAPI": "Krb5LoginModule",
}
_JAVA_CODE = ("sasl.client.callback.handler.class", "sasl.login.class")


@dataclass(frozen=True, slots=True, kw_only=True)
class KerberosLogin:
    """Krb5LoginModule's options: a keytab with its principal, or the ticket cache of the process's user."""

    service: str
    principal: str | None = None
    keytab: str | None = None
    ticket_cache: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSecurity:
    """The credentials of a client and the certificates it trusts."""

    protocol: SecurityProtocol = "PLAINTEXT"
    tls: TlsSettings | None = None  # exactly where the protocol uses it
    mechanism: SaslMechanism | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    oauth: OAuthLogin | None = None
    kerberos: KerberosLogin | None = None

    @property
    def uses_tls(self) -> bool:
        return self.protocol in ("SSL", "SASL_SSL")

    @property
    def uses_sasl(self) -> bool:
        return self.protocol in ("SASL_PLAINTEXT", "SASL_SSL")

    def fingerprint(self) -> bytes:
        """Changes when a certificate file or a keytab does: whoever keeps clients makes new ones then."""
        keytab = (self.kerberos.keytab,) if self.kerberos is not None and self.kerberos.keytab else ()
        return fingerprint((*(self.tls.paths() if self.tls is not None else ()), *keytab))


def client_security(client: Mapping[str, str], alias: str) -> ClientSecurity:
    """Read Java's client keys. Raises ConfigurationError naming the cluster, the key and the remedy."""
    try:
        return _Reader(client).read()
    except ValueError as error:
        raise ConfigurationError(f"cluster {alias}: {error}", cluster=alias) from error


class _Reader:
    """Raises ValueError for a key or value that we cannot honour."""

    def __init__(self, client: Mapping[str, str]) -> None:
        self._client = client

    def read(self) -> ClientSecurity:
        protocol = self._protocol()
        uses_tls, uses_sasl = protocol.endswith("SSL"), protocol.startswith("SASL")
        tls = read_tls(self._get, self._client) if uses_tls else None
        return self._sasl(protocol, tls) if uses_sasl else ClientSecurity(protocol=protocol, tls=tls)

    def _get(self, key: str) -> str | None:
        return self._client.get(key, "").strip() or None

    def _protocol(self) -> SecurityProtocol:
        text = (self._get("security.protocol") or "PLAINTEXT").upper()
        for known in get_args(SecurityProtocol):
            if text == known:
                return known  # type: ignore[no-any-return]  # get_args is untyped
        raise ValueError(f"security.protocol is {text!r}; use PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL")

    def _sasl(self, protocol: SecurityProtocol, tls: TlsSettings | None) -> ClientSecurity:
        mechanism = self._mechanism()
        for name in _JAVA_CODE:
            if (value := self._get(name)) is not None:
                raise ValueError(f"{name}={value} is Java code, which cannot run here; remove it")
        jaas = self._jaas(mechanism)
        base = ClientSecurity(protocol=protocol, tls=tls, mechanism=mechanism)
        if mechanism == "OAUTHBEARER":
            return replace(base, oauth=read_oauth(self._get, jaas.options))
        if mechanism == "GSSAPI":
            return replace(base, kerberos=self._kerberos(jaas.options))
        return self._with_password(base, jaas.options)

    def _mechanism(self) -> SaslMechanism:
        text = (self._get("sasl.mechanism") or "GSSAPI").upper()
        for known in get_args(SaslMechanism):
            if text == known:
                return known  # type: ignore[no-any-return]  # get_args is untyped
        known = ", ".join(get_args(SaslMechanism))
        raise ValueError(f"sasl.mechanism {text} is not supported; use one of {known}")

    def _jaas(self, mechanism: SaslMechanism) -> JaasLogin:
        text, wanted = self._get("sasl.jaas.config"), _MODULES[mechanism]
        if text is None:
            if mechanism == "OAUTHBEARER" and self._get("sasl.oauthbearer.token.endpoint.url") is not None:
                return JaasLogin(module=wanted, options={})  # KIP-1139: keys outside the JAAS line may hold everything
            example = {"GSSAPI": 'keyTab="..." principal="..."', "OAUTHBEARER": 'clientId="..." clientSecret="..."'}
            options = example.get(mechanism, 'username="..." password="..."')
            default = "" if self._get("sasl.mechanism") else " (sasl.mechanism is not set, and GSSAPI is its default)"
            raise ValueError(
                f"sasl.jaas.config is missing for {mechanism}{default}; write: ...{wanted} required {options};"
            )
        try:
            login = parse_jaas(text)
        except ValueError as error:
            raise ValueError(f"sasl.jaas.config: {error}") from error
        # Java's password modules do the same, so that either serves both kinds of mechanisms
        if login.module.rpartition(".")[2] != wanted and mechanism in ("OAUTHBEARER", "GSSAPI"):
            raise ValueError(f"sasl.jaas.config names {login.module}; sasl.mechanism {mechanism} needs {wanted}")
        return login

    def _with_password(self, base: ClientSecurity, options: Mapping[str, str]) -> ClientSecurity:
        username, password = options.get("username"), options.get("password")
        if username is None or password is None:
            raise ValueError(
                'sasl.jaas.config must hold username and password: ... LoginModule required username="u" password="p";'
            )
        if options.get("tokenauth", "").lower() == "true":
            raise ValueError("sasl.jaas.config: delegation tokens (tokenauth) are not supported; use a user's password")
        return replace(base, username=username, password=password)

    def _kerberos(self, options: Mapping[str, str]) -> KerberosLogin:
        service = options.get("serviceName") or self._get("sasl.kerberos.service.name")
        if service is None:
            raise ValueError("sasl.kerberos.service.name is missing; it is the first part of the brokers' principal")
        keytab, principal = options.get("keyTab"), options.get("principal")
        if keytab is not None and principal is None:
            raise ValueError("sasl.jaas.config names a keyTab and no principal")
        return KerberosLogin(
            service=service, principal=principal, keytab=keytab, ticket_cache=options.get("ticketCache")
        )
