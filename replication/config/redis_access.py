"""Access to Redis from one URL: a server, a server behind TLS, or the primary that Sentinels name.

    redis://user:password@host:6379/0
    rediss://user:password@host:6379/0?ssl_ca_certs=/etc/srm/ca.pem
    redis+sentinel://user:password@host1:26379,host2:26379/primary-name/0?sentinel_password=word
    rediss+sentinel://...

The options of TLS are those of redis-py (`ssl_ca_certs`, `ssl_certfile`, `ssl_keyfile`, `ssl_cert_reqs`,
`ssl_check_hostname`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from redis import Redis
from redis.exceptions import OutOfMemoryError, ResponseError
from redis.sentinel import Sentinel

REDIS_URL_EXAMPLE = "redis://:password@host:port/0"
_PLAIN = ("redis", "rediss", "unix")
_SENTINEL = ("redis+sentinel", "rediss+sentinel")
_SENTINEL_PORT = 26_379
NO_ANSWER = "Redis does not answer"
NO_MEMORY = "Redis has no memory left: raise its maxmemory, and use it for no other program"


class RedisUrlError(ValueError):
    """The URL cannot be used; the text says why, without the password."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentinelUrl:
    """The Sentinels, the name of the primary that they watch, and the logins at both."""

    hosts: tuple[tuple[str, int], ...]
    primary: str
    database: int
    username: str | None
    password: str | None = field(repr=False)
    sentinel_login: Mapping[str, str] = field(repr=False)
    tls: Mapping[str, Any]

    @property
    def uses_tls(self) -> bool:
        return bool(self.tls)


def check_redis_url(url: str) -> None:
    """Raise RedisUrlError for a URL that cannot be used."""
    scheme = url.partition("://")[0]
    if scheme in _SENTINEL:
        _sentinel_url(url)
    elif scheme not in _PLAIN or "://" not in url:
        raise RedisUrlError(f"it is not a Redis URL: write {REDIS_URL_EXAMPLE}, rediss:// or redis+sentinel://")


def open_redis(url: str, **options: Any) -> Redis:
    """Return a client, with options of `redis.Redis`; it connects with its first command. Raises RedisUrlError."""
    check_redis_url(url)
    if not _is_sentinel(url):
        return Redis.from_url(url, **options)
    found = _sentinel_url(url)
    timeouts = {name: value for name, value in options.items() if name.startswith("socket_")}
    sentinel = cast("Any", Sentinel)(found.hosts, sentinel_kwargs={**found.sentinel_login, **found.tls, **timeouts})
    login = {"username": found.username, "password": found.password}
    client: Redis = sentinel.master_for(
        found.primary, redis_class=Redis, db=found.database, **login, **found.tls, **options
    )
    return client


def problem_of(error: Exception) -> str:
    """Return why Redis could not be used, for operators."""
    if isinstance(error, OutOfMemoryError):
        return NO_MEMORY
    return f"Redis refuses commands: {error}" if isinstance(error, ResponseError) else NO_ANSWER


def memory_problem(memory: Mapping[str, Any]) -> str:
    """Return that Redis refuses to store anything, from its section `memory` of INFO; empty if it does not."""
    most_bytes = int(memory.get("maxmemory", 0))
    is_full = 0 < most_bytes < int(memory.get("used_memory", 0)) and memory.get("maxmemory_policy") == "noeviction"
    return NO_MEMORY if is_full else ""


def broker_settings(url: str) -> dict[str, Any]:
    """Return Celery's `broker_url`, and what it needs besides; merge `broker_transport_options`."""
    if not _is_sentinel(url):
        return {"broker_url": url, "broker_transport_options": {}}
    found = _sentinel_url(url)
    login = f"{quote(found.username or '', safe='')}:{quote(found.password or '', safe='')}@" if found.password else ""
    hosts = ";".join(f"sentinel://{login}{host}:{port}/{found.database}" for host, port in found.hosts)
    settings: dict[str, Any] = {
        "broker_url": hosts,
        "broker_transport_options": {
            "master_name": found.primary,
            "sentinel_kwargs": {**found.sentinel_login, **found.tls},
        },
    }
    if found.uses_tls:
        settings["broker_use_ssl"] = {name: value for name, value in found.tls.items() if name != "ssl"} or True
    return settings


def _is_sentinel(url: str) -> bool:
    return url.partition("://")[0] in _SENTINEL


def _sentinel_url(url: str) -> SentinelUrl:
    parts = urlsplit(url)
    login, _, hosts = parts.netloc.rpartition("@")
    username, _, password = login.partition(":")
    primary, database = _path(parts)
    query = dict(parse_qsl(parts.query))
    tls = {name: value for name, value in query.items() if name.startswith("ssl_")}
    return SentinelUrl(
        hosts=tuple(_host(text) for text in hosts.split(",")),
        primary=primary,
        database=database,
        username=unquote(username) or None,
        password=unquote(password) or None,
        sentinel_login={
            name.removeprefix("sentinel_"): query[name]
            for name in ("sentinel_username", "sentinel_password")
            if name in query
        },
        tls={"ssl": True, **tls} if parts.scheme == _SENTINEL[1] else {},
    )


def _path(parts: SplitResult) -> tuple[str, int]:
    primary, _, database = parts.path.strip("/").partition("/")
    if not primary or not (database or "0").isdecimal():
        raise RedisUrlError(
            "a Sentinel URL names the primary and the database: "
            "redis+sentinel://:password@host1:26379,host2:26379/primary-name/0"
        )
    return unquote(primary), int(database or "0")


def _host(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":") if ":" in text.rpartition("]")[2] else (text, "", str(_SENTINEL_PORT))
    if not host or not port.isdecimal():
        raise RedisUrlError(f"{text!r} is not the address of a Sentinel: write host:{_SENTINEL_PORT}")
    return host.strip("[]"), int(port)
