"""OAUTHBEARER in Java's terms: where the token comes from, out of the login module's options and the newer keys."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from replication.config.security.tls import TlsSettings, read_tls

Get = Callable[[str], str | None]

_HANDLER = "sasl.login.callback.handler.class"
# both of Kafka's own handlers: the older unsecured one is the default, KIP-768's asks a token endpoint
_KNOWN_HANDLERS = frozenset({"OAuthBearerLoginCallbackHandler", "OAuthBearerUnsecuredLoginCallbackHandler"})
_RETRIEVER = "sasl.oauthbearer.jwt.retriever.class"
_KNOWN_RETRIEVERS = frozenset({"DefaultJwtRetriever", "ClientCredentialsJwtRetriever", "FileJwtRetriever"})
_CLAIM = "unsecuredLogin"


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthLogin:
    """Exactly one of `endpoint`, `file` and `unsecured_claims` says where tokens come from."""

    endpoint: str | None = None  # of OAuth's client credentials grant
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    scope: str | None = None
    endpoint_tls: TlsSettings | None = None
    file: str | None = None
    unsecured_claims: Mapping[str, object] | None = None
    unsecured_lifetime_s: int = 3_600
    extensions: Mapping[str, str] = field(default_factory=dict)
    connect_timeout_s: float = 10.0
    read_timeout_s: float = 10.0


def read_oauth(get: Get, options: Mapping[str, str]) -> OAuthLogin:
    """Raises ValueError for what is missing or cannot be honoured."""
    _check_class(_HANDLER, get(_HANDLER), _KNOWN_HANDLERS)
    _check_class(_RETRIEVER, get(_RETRIEVER), _KNOWN_RETRIEVERS)
    url = get("sasl.oauthbearer.token.endpoint.url")
    if url is None:
        return _unsecured(options)
    extensions = _prefixed(options, "extension_")
    parts = urlsplit(url)
    if parts.scheme == "file":
        return OAuthLogin(file=parts.path, extensions=extensions)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"sasl.oauthbearer.token.endpoint.url is {url!r}; give an https, http or file address")
    client_id = get("sasl.oauthbearer.client.credentials.client.id") or options.get("clientId")
    secret = get("sasl.oauthbearer.client.credentials.client.secret") or options.get("clientSecret")
    if not client_id or not secret:
        raise ValueError(
            "OAUTHBEARER needs the client's id and secret: clientId and clientSecret in sasl.jaas.config, "
            "or sasl.oauthbearer.client.credentials.client.id and ....client.secret"
        )
    return OAuthLogin(
        endpoint=url,
        client_id=client_id,
        client_secret=secret,
        scope=get("sasl.oauthbearer.scope") or options.get("scope"),
        endpoint_tls=_endpoint_tls(parts.scheme, get, options),
        extensions=extensions,
        connect_timeout_s=_seconds(get, "sasl.login.connect.timeout.ms"),
        read_timeout_s=_seconds(get, "sasl.login.read.timeout.ms"),
    )


def _endpoint_tls(scheme: str, get: Get, options: Mapping[str, str]) -> TlsSettings | None:
    """The endpoint's own `ssl.*` are among the options; without them the cluster's apply."""
    if scheme != "https":
        return None
    if any(name.startswith("ssl.") for name in options):
        return read_tls(lambda name: options.get(name, "").strip() or None, options)
    return read_tls(get, {})


def _unsecured(options: Mapping[str, str]) -> OAuthLogin:
    """Tokens without a signature (OAuthBearerUnsecuredLoginCallbackHandler), for tests and trusted networks."""
    claims: dict[str, object] = {**_prefixed(options, f"{_CLAIM}StringClaim_")}
    for name, text in _prefixed(options, f"{_CLAIM}NumberClaim_").items():
        claims[name] = _number(text, f"{_CLAIM}NumberClaim_{name}")
    for name, text in _prefixed(options, f"{_CLAIM}ListClaim_").items():
        claims[name] = [part for part in text[1:].split(text[:1]) if part] if text else []
    principal_claim = options.get(f"{_CLAIM}PrincipalClaimName") or "sub"
    if principal_claim not in claims:
        raise ValueError(
            "OAUTHBEARER needs sasl.oauthbearer.token.endpoint.url with clientId and clientSecret, "
            f'or {_CLAIM}StringClaim_{principal_claim}="..." in sasl.jaas.config for unsecured tokens'
        )
    lifetime = options.get(f"{_CLAIM}LifetimeSeconds", "3600")
    return OAuthLogin(
        unsecured_claims=claims,
        unsecured_lifetime_s=int(_number(lifetime, f"{_CLAIM}LifetimeSeconds")),
        extensions=_prefixed(options, f"{_CLAIM}Extension_"),
    )


def _check_class(key: str, value: str | None, known: frozenset[str]) -> None:
    if value is not None and value.rpartition(".")[2] not in known:
        raise ValueError(
            f"{key}={value} is Java code, which cannot run here; use Kafka's own with a token endpoint or a token file"
        )


def _prefixed(options: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): text for name, text in options.items() if name.startswith(prefix)}


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise ValueError(f"{name}={text!r} in sasl.jaas.config is no number") from error


def _seconds(get: Get, name: str) -> float:
    text = get(name)
    if text is None:
        return 10.0
    if not text.isdigit() or int(text) == 0:
        raise ValueError(f"{name}={text!r} is no time in milliseconds")
    return int(text) / 1000
