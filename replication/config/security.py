"""Client security as one value: read once from Java's keys, rendered for each client library.

Supported: PLAINTEXT, SSL, SASL_PLAINTEXT and SASL_SSL with PLAIN or SCRAM, certificates in PEM form (files or inline).
"""

import re
import ssl
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from replication.domain.errors import ConfigurationError

SecurityProtocol = Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
SaslMechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]
_PEM_SUFFIXES = (".pem", ".crt", ".cer", ".key")
_JAAS_OPTION = re.compile(r"""(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s;"']+))""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pem:
    """A PEM text, or the file that holds it; exactly one of the two."""

    text: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSecurity:
    """How to prove who we are and whom we trust."""

    protocol: SecurityProtocol = "PLAINTEXT"
    mechanism: SaslMechanism | None = None
    username: str | None = None
    password: str | None = None
    trusted: Pem | None = None  # None: the system's certificates
    certificate: Pem | None = None
    key: Pem | None = None
    key_password: str | None = None
    verify_hostname: bool = True

    @property
    def uses_tls(self) -> bool:
        return self.protocol in ("SSL", "SASL_SSL")

    @property
    def uses_sasl(self) -> bool:
        return self.protocol in ("SASL_PLAINTEXT", "SASL_SSL")

    def __repr__(self) -> str:
        return f"ClientSecurity({self.protocol}, {self.mechanism or 'no SASL'})"


def client_security(client: Mapping[str, str], alias: str) -> ClientSecurity:
    """Read Java's client keys. Raises ConfigurationError naming the cluster, the key and the remedy."""
    try:
        return _Reader(client).read()
    except _UnsupportedError as error:
        raise ConfigurationError(f"cluster {alias}: {error}", cluster=alias) from error


def kafka_python_security(security: ClientSecurity) -> dict[str, Any]:
    """Keyword arguments for kafka-python's connections (its value types differ by key)."""
    settings: dict[str, Any] = {"security_protocol": security.protocol}
    if security.uses_tls:
        settings["ssl_context"] = _ssl_context(security)
    if security.uses_sasl:
        settings["sasl_mechanism"] = security.mechanism
        settings["sasl_plain_username"] = security.username
        settings["sasl_plain_password"] = security.password
    return settings


class _UnsupportedError(ValueError):
    """A key or value that we cannot honour."""


class _Reader:
    def __init__(self, client: Mapping[str, str]) -> None:
        self._client = client

    def read(self) -> ClientSecurity:
        protocol = self._protocol()
        security = ClientSecurity(protocol=protocol)
        tls = self._tls() if security.uses_tls else {}
        sasl = self._sasl() if security.uses_sasl else {}
        return ClientSecurity(protocol=protocol, **tls, **sasl)

    def _get(self, key: str) -> str | None:
        return self._client.get(key, "").strip() or None

    def _protocol(self) -> SecurityProtocol:
        text = (self._get("security.protocol") or "PLAINTEXT").upper()
        for known in get_args(SecurityProtocol):
            if text == known:
                return known  # type: ignore[no-any-return]  # get_args is untyped
        raise _UnsupportedError(f"security.protocol is {text!r}; use PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL")

    def _sasl(self) -> dict[str, Any]:
        text = (self._get("sasl.mechanism") or "GSSAPI").upper()
        mechanism = next((known for known in get_args(SaslMechanism) if known == text), None)
        if mechanism is None:
            raise _UnsupportedError(
                f"sasl.mechanism {text} is not supported yet; use PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512"
            )
        options = jaas_options(self._get("sasl.jaas.config") or "")
        username, password = options.get("username"), options.get("password")
        if username is None or password is None:
            raise _UnsupportedError(
                'sasl.jaas.config must hold username and password: ... LoginModule required username="u" password="p";'
            )
        return {"mechanism": mechanism, "username": username, "password": password}

    def _tls(self) -> dict[str, Any]:
        algorithm = self._client.get("ssl.endpoint.identification.algorithm", "https").strip()
        inline_chain, inline_key = self._get("ssl.keystore.certificate.chain"), self._get("ssl.keystore.key")
        keystore = self._store("keystore")
        certificate = Pem(text=inline_chain) if inline_chain else keystore
        key = Pem(text=inline_key) if inline_key else keystore
        if (certificate is None) != (key is None):
            raise _UnsupportedError("ssl.keystore.certificate.chain and ssl.keystore.key must be set together")
        inline_trusted = self._get("ssl.truststore.certificates")
        return {
            "trusted": Pem(text=inline_trusted) if inline_trusted else self._store("truststore"),
            "certificate": certificate,
            "key": key,
            "key_password": self._get("ssl.key.password"),
            "verify_hostname": algorithm != "",
        }

    def _store(self, which: str) -> Pem | None:
        location = self._get(f"ssl.{which}.location")
        if location is None:
            return None
        is_pem_name = location.lower().endswith(_PEM_SUFFIXES)
        kind = (self._get(f"ssl.{which}.type") or ("PEM" if is_pem_name else "JKS")).upper()
        if kind != "PEM":
            raise _UnsupportedError(
                f"ssl.{which}.location {location} is a {kind} store, which is not supported yet; convert it to PEM "
                f"(keytool -importkeystore to PKCS12, then openssl pkcs12) and set ssl.{which}.type=PEM"
            )
        if not Path(location).is_file():
            raise _UnsupportedError(f"ssl.{which}.location: there is no file {location}")
        return Pem(path=location)


def jaas_options(jaas: str) -> dict[str, str]:
    """The options of a `sasl.jaas.config` line, unquoted."""
    options: dict[str, str] = {}
    for match in _JAAS_OPTION.finditer(jaas):
        quoted = match[2] if match[2] is not None else match[3]
        options[match[1]] = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else match[4]
    return options


def _ssl_context(security: ClientSecurity) -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname = security.verify_hostname
    try:
        if security.trusted is not None:
            context.load_verify_locations(cafile=security.trusted.path, cadata=security.trusted.text)
        if security.certificate is not None and security.key is not None:
            _load_chain(context, security.certificate, security.key, security.key_password)
    except (OSError, ssl.SSLError) as error:
        raise ConfigurationError(f"the TLS certificates cannot be read: {error}") from error
    return context


def _load_chain(context: ssl.SSLContext, certificate: Pem, key: Pem, password: str | None) -> None:
    """The ssl module reads certificates from files only; inline ones take a detour over a private folder."""
    secret = password or ""  # never let OpenSSL ask on the terminal
    with tempfile.TemporaryDirectory(prefix="srm-tls-") as folder:
        paths = [_as_file(pem, Path(folder) / name) for name, pem in (("chain.pem", certificate), ("key.pem", key))]
        context.load_cert_chain(paths[0], paths[1], secret)


def _as_file(pem: Pem, path: Path) -> str:
    if pem.path is not None:
        return pem.path
    path.touch(mode=0o600)
    path.write_text(pem.text or "")
    return str(path)
