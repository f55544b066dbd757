"""Certificates for tests: a root, an intermediate that signs everybody, and stores of every kind Java knows."""

import ipaddress
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import NameOID

STORE_PASSWORD = "store, secret"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A key, its certificate, and those between it and the root."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate
    between: tuple[x509.Certificate, ...] = ()

    @property
    def chain_pem(self) -> str:
        return "".join(each.public_bytes(Encoding.PEM).decode() for each in (self.certificate, *self.between))

    def key_pem(self, password: str | None = None) -> str:
        hiding = BestAvailableEncryption(password.encode()) if password else NoEncryption()
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, hiding).decode()

    def write_pem(self, path: Path) -> Path:
        path.write_text(self.key_pem() + self.chain_pem)
        return path

    def write_pkcs12(self, path: Path) -> Path:
        hiding = BestAvailableEncryption(STORE_PASSWORD.encode())
        data = pkcs12.serialize_key_and_certificates(b"me", self.key, self.certificate, list(self.between), hiding)
        path.write_bytes(data)
        return path

    def write_jks(self, path: Path, key_password: str) -> Path:
        source = self.write_pkcs12(path.with_suffix(".source.p12"))
        options = ["-srcstoretype", "PKCS12", "-deststoretype", "JKS", "-noprompt"]
        options += ["-srcstorepass", STORE_PASSWORD, "-deststorepass", STORE_PASSWORD, "-destkeypass", key_password]
        options += ["-srcalias", "me", "-destalias", "me"]
        _keytool("-importkeystore", "-srckeystore", str(source), "-destkeystore", str(path), *options)
        return path


class Authority:
    """A separate root."""

    def __init__(self, name: str = "test root") -> None:
        self.root = _signed(name, None, is_authority=True)
        self._issuer = _signed(f"{name}, intermediate", self.root, is_authority=True)

    def issue(self, name: str, *, life: timedelta = timedelta(days=2)) -> Identity:
        made = _signed(name, self._issuer, is_authority=False, life=life)
        return Identity(key=made.key, certificate=made.certificate, between=(self._issuer.certificate,))

    @property
    def root_pem(self) -> str:
        return self.root.chain_pem

    def write_pem(self, path: Path) -> Path:
        path.write_text(self.root_pem)
        return path

    def write_truststore(self, path: Path, kind: str) -> Path:
        """`kind` is JKS or PKCS12."""
        pem = self.write_pem(path.with_suffix(".root.pem"))
        options = ["-storetype", kind, "-storepass", STORE_PASSWORD, "-alias", "root", "-noprompt"]
        _keytool("-importcert", "-keystore", str(path), "-file", str(pem), *options)
        return path


def _signed(name: str, issuer: Identity | None, *, is_authority: bool, life: timedelta = timedelta(days=2)) -> Identity:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if issuer is None else issuer.certificate.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=3))
        .not_valid_after(now + life)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
    )
    if not is_authority:
        places = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        builder = builder.add_extension(x509.SubjectAlternativeName(places), critical=False)
    certificate = builder.sign(key if issuer is None else issuer.key, hashes.SHA256())
    return Identity(key=key, certificate=certificate)


def _keytool(*arguments: str) -> None:
    done = subprocess.run(["keytool", *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
