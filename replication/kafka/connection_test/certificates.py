"""Reads certificates for a report."""

import time

from cryptography import x509

from replication.domain.connection_test.certificate import Certificate, days_left, hostname_matches


def certificate_of(data: bytes, host: str) -> Certificate:
    """Read the certificate of a broker in DER. Raises ValueError."""
    return described(x509.load_der_x509_certificate(data), host)


def described(found: x509.Certificate, host: str) -> Certificate:
    """Return a certificate as a report shows it."""
    names = _names(found)
    not_after_ms = int(found.not_valid_after_utc.timestamp() * 1000)
    return Certificate(
        subject=found.subject.rfc4514_string(),
        issuer=found.issuer.rfc4514_string(),
        names=names,
        not_before_ms=int(found.not_valid_before_utc.timestamp() * 1000),
        not_after_ms=not_after_ms,
        days_left=days_left(not_after_ms, time.time_ns() // 1_000_000),
        hostname_matches=hostname_matches(host, names),
    )


def _names(certificate: x509.Certificate) -> tuple[str, ...]:
    try:
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError):
        return ()
    names = extension.get_values_for_type(x509.DNSName)
    return (*names, *(str(address) for address in extension.get_values_for_type(x509.IPAddress)))
