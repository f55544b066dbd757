"""Key stores and trust stores of any kind Java clients use, as PEM texts: PEM files, PKCS #12 and JKS.

The first bytes of the file decide its kind: Java itself opens PKCS #12 under the type JKS and the other way round.
"""

from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed448, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_private_key,
    load_pem_private_key,
    pkcs12,
)

from replication.config.security import jks

_PRIVATE_KEYS = (
    rsa.RSAPrivateKey,
    ec.EllipticCurvePrivateKey,
    ed25519.Ed25519PrivateKey,
    ed448.Ed448PrivateKey,
    dsa.DSAPrivateKey,
)
_JCEKS_MAGIC = b"\xce\xce\xce\xce"
_DER_SEQUENCE = b"\x30"
_PEM_MARK = b"-----BEGIN "
_TO_PKCS12 = "convert it: keytool -importkeystore -srckeystore {path} -destkeystore new.p12 -deststoretype PKCS12"


class StoreError(ValueError):
    """A store that cannot be read; one line for an operator, without secrets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreContent:
    """The content of a store as PEM. `key` is not encrypted."""

    certificates: tuple[str, ...]  # all of them: a trust store's anchors
    key: str | None = field(default=None, repr=False)
    chain: tuple[str, ...] = ()  # of the key, its own certificate first


def read_store(path: str, password: str | None, key_password: str | None) -> StoreContent:
    """Read a store file. A key without a password has the store's. Raises StoreError."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        return _content(data, path, password, key_password)
    except StoreError:
        raise
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise StoreError(f"{path}: {_reason(error)}") from error


def _content(data: bytes, path: str, password: str | None, key_password: str | None) -> StoreContent:
    if data.startswith(jks.MAGIC):
        return _from_jks(data, password, key_password or password)
    if data.startswith(_JCEKS_MAGIC):
        raise StoreError(f"{path} is a JCEKS store; {_TO_PKCS12.format(path=path)}")
    if data.startswith(_DER_SEQUENCE):
        return _from_pkcs12(data, password)
    if _PEM_MARK in data:
        return read_pem(data.decode("utf-8", "replace"), key_password or password)
    raise StoreError(f"{path} is neither PEM nor PKCS12 nor JKS; {_TO_PKCS12.format(path=path)}")


def read_pem(text: str, key_password: str | None) -> StoreContent:
    """Certificates in the order of the text, and the private key where one is there. Raises ValueError."""
    data = text.encode()
    has_certificate, has_key = b"BEGIN CERTIFICATE" in data, b"PRIVATE KEY-----" in data
    certificates = tuple(_pem_of(each) for each in x509.load_pem_x509_certificates(data)) if has_certificate else ()
    if not has_key:
        if not certificates:
            raise ValueError("there is no certificate in it")
        return StoreContent(certificates=certificates)
    begin = data.index(b"-----BEGIN ", max(0, data.index(b"PRIVATE KEY-----") - 40))
    secret = key_password.encode() if key_password and b"ENCRYPTED" in data else None
    key = load_pem_private_key(data[begin:], secret)
    return StoreContent(certificates=certificates, key=_key_pem(key), chain=certificates)


def _from_jks(data: bytes, password: str | None, key_password: str | None) -> StoreContent:
    certificates: list[str] = []
    key: str | None = None
    chain: tuple[str, ...] = ()
    for entry in jks.read_jks(data, password):
        pems = tuple(_pem_of(x509.load_der_x509_certificate(each)) for each in entry.chain)
        if entry.protected_key is None:
            certificates.extend(pems)
        elif key is None:
            if key_password is None:
                raise StoreError("the private key of a JKS store needs ssl.keystore.password or ssl.key.password")
            key = _key_pem(load_der_private_key(jks.reveal_key(entry.protected_key, key_password), None))
            chain = pems
    return StoreContent(certificates=tuple(certificates), key=key, chain=chain)


def _from_pkcs12(data: bytes, password: str | None) -> StoreContent:
    found = pkcs12.load_pkcs12(data, password.encode() if password is not None else None)
    own = [found.cert.certificate] if found.cert is not None else []
    others = [each.certificate for each in found.additional_certs]
    every = tuple(_pem_of(each) for each in (*own, *others))
    if found.key is None:
        return StoreContent(certificates=every)
    chain = tuple(_pem_of(each) for each in _chain(own[0], others)) if own else ()
    return StoreContent(certificates=every, key=_key_pem(found.key), chain=chain)


def _chain(own: x509.Certificate, others: list[x509.Certificate]) -> list[x509.Certificate]:
    """The certificate, its issuer, the issuer's issuer; a PKCS #12 file holds them in any order."""
    chain = [own]
    while (last := chain[-1]).issuer != last.subject:
        issuer = next((each for each in others if each.subject == last.issuer and each not in chain), None)
        if issuer is None:
            break
        chain.append(issuer)
    return chain


def _key_pem(key: object) -> str:
    if not isinstance(key, _PRIVATE_KEYS):
        raise StoreError(f"a private key of the kind {type(key).__name__} cannot be used for TLS")
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def _pem_of(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(Encoding.PEM).decode()


def _reason(error: Exception) -> str:
    text = str(error) or type(error).__name__
    if "password" in text.lower() or "decrypt" in text.lower():
        return "its password does not fit, or a private key in it needs ssl.key.password"
    return text
