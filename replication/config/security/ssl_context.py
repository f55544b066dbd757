"""Python's TLS context from the settings; the same for brokers and token endpoints."""

import os
import ssl
import tempfile
from pathlib import Path
from typing import Literal

from replication.config.security.tls import TlsMaterial, TlsSettings, read_material

_VERSIONS = {
    "TLSv1": ssl.TLSVersion.TLSv1,
    "TLSv1.1": ssl.TLSVersion.TLSv1_1,
    "TLSv1.2": ssl.TLSVersion.TLSv1_2,
    "TLSv1.3": ssl.TLSVersion.TLSv1_3,
}


def ssl_context(tls: TlsSettings) -> ssl.SSLContext:
    """Reads the files. Raises StoreError (a ValueError), or ValueError for what OpenSSL refuses."""
    material = read_material(tls)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = tls.verify_hostname
    try:
        _limit_versions(context, tls.versions)
        _agree_on(context, tls.cipher_suites)
        if material.trusted is None:
            context.load_default_certs(ssl.Purpose.SERVER_AUTH)
        else:
            context.load_verify_locations(cadata=material.trusted)
            context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # as in Java, any trusted certificate is an anchor
        _identify(context, material)
    except ssl.SSLError as error:
        raise ValueError(f"the TLS settings cannot be used: {error.reason or error}") from error
    return context


def server_context(tls: TlsSettings, client_auth: Literal["none", "requested", "required"]) -> ssl.SSLContext:
    """Return the context of a port that we open. Raises as `ssl_context`."""
    material = read_material(tls)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        _limit_versions(context, tls.versions)
        _agree_on(context, tls.cipher_suites)
        _identify(context, material)
        if client_auth != "none":
            context.verify_mode = ssl.CERT_REQUIRED if client_auth == "required" else ssl.CERT_OPTIONAL
            if material.trusted is None:
                context.load_default_certs(ssl.Purpose.CLIENT_AUTH)
            else:
                context.load_verify_locations(cadata=material.trusted)
                context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    except ssl.SSLError as error:
        raise ValueError(f"the TLS settings cannot be used: {error.reason or error}") from error
    return context


def _limit_versions(context: ssl.SSLContext, versions: tuple[str, ...]) -> None:
    if versions:
        context.minimum_version, context.maximum_version = _VERSIONS[versions[0]], _VERSIONS[versions[-1]]


def _agree_on(context: ssl.SSLContext, suites: tuple[str, ...]) -> None:
    """The suites of TLS 1.3 cannot be chosen in Python; they are all good, and stay on."""
    older = [suite for suite in suites if not suite.startswith("TLS_")]
    if older:
        context.set_ciphers(":".join(older))


def _identify(context: ssl.SSLContext, material: TlsMaterial) -> None:
    """The ssl module reads a chain from files only: a private one that is deleted immediately."""
    if material.chain is None or material.key is None:
        return
    with tempfile.TemporaryDirectory(prefix="srm-tls-") as folder:
        path = Path(folder) / "identity.pem"
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(material.key + material.chain)
        context.load_cert_chain(path)
