"""The ways in which a step of a connection test fails, each with its remedy."""

from collections.abc import Mapping
from typing import Literal

from replication.domain.connection_test.steps import StepName

FailureKind = Literal[
    "name_unknown",
    "connection_refused",
    "connection_failed",
    "no_answer",
    "tls_settings",
    "not_tls",
    "wants_tls",
    "certificate_expired",
    "certificate_not_yet_valid",
    "certificate_untrusted",
    "certificate_hostname",
    "client_certificate",
    "client_certificate_expired",
    "tls_refused",
    "not_kafka",
    "connection_closed",
    "login_refused",
    "not_sasl",
    "login_settings",
    "metadata_refused",
    "rights_missing",
    "internal_error",
]

_REMEDIES: Mapping[FailureKind, str] = {
    "name_unknown": "correct the host name, or add it to the DNS that this machine uses",
    "connection_refused": "start the broker, or correct the port",
    "connection_failed": "check the address, the route and the firewall between this machine and the broker",
    "tls_settings": "correct the ssl.* settings of the cluster",
    "not_tls": "set security.protocol to PLAINTEXT or SASL_PLAINTEXT, or use the port of the TLS listener",
    "wants_tls": "set security.protocol to SSL or SASL_SSL",
    "certificate_expired": "renew the certificate of the broker",
    "certificate_not_yet_valid": "check the clocks of this machine and of the broker, or issue the certificate again",
    "certificate_untrusted": "add the certificate of the issuer to ssl.truststore.location",
    "certificate_hostname": "use one of the names in the certificate, or issue it for this name",
    "client_certificate": "set ssl.keystore.location to a certificate that the broker trusts",
    "client_certificate_expired": "renew the certificate in ssl.keystore.location",
    "tls_refused": "compare ssl.enabled.protocols and ssl.cipher.suites with those of the broker",
    "not_kafka": "use the address of a Kafka listener",
    "connection_closed": "compare security.protocol with the listener: a TLS listener closes connections without TLS",
    "login_refused": "correct the user, the password or token, and sasl.mechanism",
    "not_sasl": "set security.protocol to PLAINTEXT, or to SSL if it is SASL_SSL, or use the port of a SASL listener",
    "login_settings": "correct the sasl.* settings of the cluster",
    "metadata_refused": "look into the log of the broker",
    "rights_missing": "grant the missing rights to the principal with kafka-acls",
    "internal_error": "look into the log of the service",
}
_NO_ANSWER: Mapping[StepName, str] = {
    "name": "check the DNS servers of this machine",
    "tcp": "check the firewall between this machine and the broker, and that the host runs",
    "tls": "check that the port is a TLS listener and that the broker is not overloaded",
    "protocol": "check that the port is a Kafka listener and that security.protocol is that of the listener",
    "sasl": "check sasl.mechanism, and the token endpoint or KDC if the mechanism uses one",
    "metadata": "check the load and the log of the broker",
    "rights": "check the load and the log of the broker",
}


class StepFailedError(Exception):
    """A step failed; the text says how, without its remedy."""

    def __init__(self, kind: FailureKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text


def remedy_of(kind: FailureKind, step: StepName) -> str:
    """Return what a person does about a failed step."""
    return _NO_ANSWER[step] if kind == "no_answer" else _REMEDIES[kind]
