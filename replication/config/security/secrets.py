"""Secrets of the desired document: a Fernet token over a JSON object of Java client keys."""

import json
import re
from collections.abc import Mapping, Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from replication.domain.errors import ConfigurationError

# Client keys of SslConfigs and SaslConfigs that hold no secret. Any other key of their prefixes may: new versions
# of Kafka, plug-ins and typing errors bring names that no list of secret words knows.
_PUBLIC_KEYS = frozenset(
    [
        "security.protocol",
        "security.providers",
        "ssl.protocol",
        "ssl.provider",
        "ssl.enabled.protocols",
        "ssl.cipher.suites",
        "ssl.endpoint.identification.algorithm",
        "ssl.keystore.location",
        "ssl.keystore.type",
        "ssl.keystore.certificate.chain",
        "ssl.truststore.location",
        "ssl.truststore.type",
        "ssl.truststore.certificates",
        "ssl.keymanager.algorithm",
        "ssl.trustmanager.algorithm",
        "ssl.secure.random.implementation",
        "ssl.engine.factory.class",
        "sasl.mechanism",
        "sasl.client.callback.handler.class",
        "sasl.login.callback.handler.class",
        "sasl.login.class",
        "sasl.kerberos.service.name",
        "sasl.kerberos.kinit.cmd",
        "sasl.kerberos.min.time.before.relogin",
        "sasl.kerberos.ticket.renew.jitter",
        "sasl.kerberos.ticket.renew.window.factor",
        "sasl.login.connect.timeout.ms",
        "sasl.login.read.timeout.ms",
        "sasl.login.retry.backoff.ms",
        "sasl.login.retry.backoff.max.ms",
        "sasl.login.refresh.window.factor",
        "sasl.login.refresh.window.jitter",
        "sasl.login.refresh.min.period.seconds",
        "sasl.login.refresh.buffer.seconds",
        "sasl.oauthbearer.token.endpoint.url",
        "sasl.oauthbearer.scope",
        "sasl.oauthbearer.jwks.endpoint.url",
        "sasl.oauthbearer.expected.audience",
        "sasl.oauthbearer.expected.issuer",
        "sasl.oauthbearer.scope.claim.name",
        "sasl.oauthbearer.sub.claim.name",
        "sasl.oauthbearer.clock.skew.seconds",
        "sasl.oauthbearer.client.credentials.client.id",
    ]
)
_CLIENT_SECURITY = re.compile(r"(?<![^.])(?:security|sasl|ssl)\.")
_SECRET_WORDS = re.compile(r"password|passwd|passphrase|secret|credential|token|api[._-]?key|private[._-]?key|jaas")


def is_secret_name(name: str) -> bool:
    """Return whether a property of this name may hold a secret, below any prefix and also if its key is not known.

    The value of such a property must never be shown or stored in the clear.
    """
    lower = name.lower()
    client_key = _CLIENT_SECURITY.search(lower)
    return lower[client_key.start() :] not in _PUBLIC_KEYS if client_key else _SECRET_WORDS.search(lower) is not None


def seal(keys: Sequence[str], values: Mapping[str, str]) -> str:
    """Encrypt with the first key. Raises ConfigurationError when there is no usable key."""
    return _fernet(keys).encrypt(json.dumps(dict(values), sort_keys=True).encode()).decode()


def open_sealed(keys: Sequence[str], token: str) -> dict[str, str]:
    """Decrypt with whichever key fits. Raises ConfigurationError when none does."""
    try:
        values = json.loads(_fernet(keys).decrypt(token.encode()))
    except InvalidToken as error:
        raise ConfigurationError(
            "the cluster's secret was encrypted with another key; give this process the same SRM_TRANSPORT_KEYS"
        ) from error
    return {str(key): str(value) for key, value in values.items()}


def _fernet(keys: Sequence[str]) -> MultiFernet:
    if not keys:
        raise ConfigurationError("SRM_TRANSPORT_KEYS is empty; it must hold at least one key")
    try:
        return MultiFernet([Fernet(key) for key in keys])
    except ValueError as error:
        raise ConfigurationError(
            "SRM_TRANSPORT_KEYS holds something that is no key (32 bytes in URL-safe base64)"
        ) from error
