"""TLS in Java's terms: the `ssl.*` keys as one value, and the certificates behind them."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from replication.config.security.keystores import StoreContent, StoreError, read_pem, read_store

_KINDS = frozenset({"JKS", "PKCS12", "PEM"})
_VERSIONS = ("TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3")
_CLASSES = ("ssl.engine.factory.class", "ssl.trustmanager.algorithm", "ssl.keymanager.algorithm")
_JAVAS_OWN_ALGORITHMS = frozenset({"PKIX", "SunX509", "SunPKIX", "NewSunX509"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """A store file, or PEM text given in the setting itself; `key` names the setting for error messages."""

    key: str
    path: str | None = None
    text: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)

    def read(self, key_password: str | None = None) -> StoreContent:
        """Raises StoreError."""
        try:
            if self.path is None:
                return read_pem(self.text or "", key_password)
            return read_store(self.path, self.password, key_password)
        except StoreError as error:
            raise StoreError(f"{self.key}: {error}") from error
        except (ValueError, TypeError) as error:
            raise StoreError(f"{self.key} cannot be read: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsSettings:
    """Whom we trust (None: the system's certificates), who we are, and what we agree to."""

    trusted: Store | None = None
    identity: Store | None = None
    key_password: str | None = field(default=None, repr=False)
    verify_hostname: bool = True
    versions: tuple[str, ...] = ()  # Java's names; empty: the library's own choice
    cipher_suites: tuple[str, ...] = ()  # OpenSSL's names

    def paths(self) -> tuple[str, ...]:
        return tuple(store.path for store in (self.trusted, self.identity) if store is not None and store.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsMaterial:
    """Certificates as PEM; `key` is not encrypted."""

    trusted: str | None = None
    chain: str | None = None
    key: str | None = field(default=None, repr=False)


def read_material(tls: TlsSettings) -> TlsMaterial:
    """Read the stores. Raises StoreError, which names the setting and the file."""
    trusted = identity = None
    if tls.trusted is not None:
        trusted = tls.trusted.read()
        if not trusted.certificates:
            raise StoreError(f"{tls.trusted.key}: there is no trusted certificate in {tls.trusted.path or 'it'}")
    if tls.identity is not None:
        identity = tls.identity.read(tls.key_password)
        if identity.key is None or not identity.chain:
            place = tls.identity.path or "it"
            raise StoreError(f"{tls.identity.key}: there is no private key with its certificate in {place}")
    return TlsMaterial(
        trusted="".join(trusted.certificates) if trusted is not None else None,
        chain="".join(identity.chain) if identity is not None else None,
        key=identity.key if identity is not None else None,
    )


def fingerprint(paths: tuple[str, ...]) -> bytes:
    """Changes when one of the files does; files that are not there count as such."""
    digest = hashlib.sha256()
    for path in paths:
        try:
            found = Path(path).stat()
        except OSError:
            digest.update(b"missing")
        else:
            digest.update(f"{found.st_ino} {found.st_size} {found.st_mtime_ns}".encode())
    return digest.digest()


def read_tls(get: Callable[[str], str | None], given: Mapping[str, str]) -> TlsSettings:
    """The `ssl.*` keys; `get` gives a value without blanks, None when there is none. Raises ValueError."""
    for name in _CLASSES:
        value = get(name)
        if value is not None and value not in _JAVAS_OWN_ALGORITHMS:
            raise ValueError(f"{name}={value} is Java code, which has no effect here; remove it")
    if (crl := get("ssl.crl.location")) is not None:
        raise ValueError(f"ssl.crl.location={crl} is not supported; remove it, revoked certificates are not checked")
    return TlsSettings(
        trusted=_store(get, "truststore", get("ssl.truststore.certificates"), "ssl.truststore.certificates"),
        identity=_identity(get),
        key_password=get("ssl.key.password"),
        verify_hostname=given.get("ssl.endpoint.identification.algorithm", "https").strip() != "",
        versions=_versions(get("ssl.enabled.protocols")),
        cipher_suites=tuple(openssl_cipher(each) for each in _listed(get("ssl.cipher.suites"))),
    )


def openssl_cipher(suite: str) -> str:
    """OpenSSL's name of a suite: TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 is ECDHE-RSA-AES128-GCM-SHA256."""
    if not suite.startswith("TLS_") or "_WITH_" not in suite:
        return suite  # the suites of TLS 1.3 have one name everywhere
    exchange, cipher = suite.removeprefix("TLS_").split("_WITH_", 1)
    cipher = cipher.replace("AES_128_", "AES128_").replace("AES_256_", "AES256_").replace("_CBC_", "_")
    cipher = cipher.removesuffix("_SHA256") if cipher.startswith("CHACHA20") else cipher
    prefix = "" if exchange == "RSA" else exchange.replace("_", "-") + "-"
    return prefix + cipher.replace("_", "-")


def _identity(get: Callable[[str], str | None]) -> Store | None:
    chain, key = get("ssl.keystore.certificate.chain"), get("ssl.keystore.key")
    if chain is None and key is None:
        return _store(get, "keystore", None, "")
    if chain is None or key is None:
        raise ValueError("ssl.keystore.certificate.chain and ssl.keystore.key must be set together")
    return Store(key="ssl.keystore.key", text=f"{chain}\n{key}")


def _store(get: Callable[[str], str | None], which: str, text: str | None, text_key: str) -> Store | None:
    name = f"ssl.{which}.location"
    if text is not None:
        return Store(key=text_key, text=text)
    location = get(name)
    if location is None:
        return None
    kind = (get(f"ssl.{which}.type") or "JKS").upper()
    if kind not in _KINDS:
        raise ValueError(f"ssl.{which}.type is {kind}; use PKCS12, JKS or PEM")
    if not Path(location).is_file():
        raise ValueError(f"{name}: there is no file {location}")
    return Store(key=name, path=location, password=get(f"ssl.{which}.password"))


def _versions(text: str | None) -> tuple[str, ...]:
    versions = _listed(text)
    for version in versions:
        if version not in _VERSIONS:
            raise ValueError(f"ssl.enabled.protocols holds {version!r}; use TLSv1.2 and TLSv1.3")
    return tuple(version for version in _VERSIONS if version in versions)


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(each.strip() for each in (text or "").split(",") if each.strip())
