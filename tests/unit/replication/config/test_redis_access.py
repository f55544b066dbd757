"""URLs of Redis: what they mean to our clients and to Celery, and what is wrong with others."""

from typing import Any

import pytest
from redis.sentinel import SentinelConnectionPool

from replication.config.redis_access import RedisUrlError, broker_settings, check_redis_url, open_redis

SENTINELS = "redis+sentinel://srm:a%3Ab@s1:26379,s2/primary/3?sentinel_password=word"


@pytest.mark.parametrize("url", ["redis://h:1/0", "rediss://h:1/0", "unix:///run/redis.sock", SENTINELS])
def test_these_urls_are_fine(url: str) -> None:
    check_redis_url(url)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://h:1", "not a Redis URL"),
        ("redis:h", "not a Redis URL"),
        ("redis+sentinel://s1:26379", "names the primary"),
        ("redis+sentinel://s1:26379/primary/zero", "names the primary"),
        ("redis+sentinel://s1:port/primary", "is not the address of a Sentinel"),
        ("redis+sentinel://,s2/primary", "is not the address of a Sentinel"),
    ],
)
def test_these_are_not_and_the_text_says_why(url: str, why: str) -> None:
    with pytest.raises(RedisUrlError, match=why):
        open_redis(url)


def test_a_client_of_sentinels_has_both_logins_and_the_database() -> None:
    pool: Any = open_redis(SENTINELS, socket_timeout=1.0).connection_pool
    assert isinstance(pool, SentinelConnectionPool)
    assert pool.service_name == "primary"
    given = pool.connection_kwargs
    assert (given["username"], given["password"], given["db"], given["socket_timeout"]) == ("srm", "a:b", 3, 1.0)
    asked = [sentinel.connection_pool.connection_kwargs for sentinel in pool.sentinel_manager.sentinels]
    assert [(one["host"], one["port"], one["password"]) for one in asked] == [
        ("s1", 26379, "word"),
        ("s2", 26379, "word"),
    ]


def test_celery_gets_every_sentinel_and_the_name_of_the_primary() -> None:
    settings = broker_settings(SENTINELS)
    assert settings["broker_url"] == "sentinel://srm:a%3Ab@s1:26379/3;sentinel://srm:a%3Ab@s2:26379/3"
    assert settings["broker_transport_options"] == {"master_name": "primary", "sentinel_kwargs": {"password": "word"}}
    assert "broker_use_ssl" not in settings


def test_tls_of_sentinels_holds_for_the_primary_too() -> None:
    url = "rediss+sentinel://:word@s1/primary/0?ssl_ca_certs=/ca.pem"
    assert broker_settings(url)["broker_use_ssl"] == {"ssl_ca_certs": "/ca.pem"}
    pool: Any = open_redis(url).connection_pool
    assert pool.connection_kwargs["ssl_ca_certs"] == "/ca.pem"
    assert pool.sentinel_manager.sentinels[0].connection_pool.connection_kwargs["ssl_ca_certs"] == "/ca.pem"


def test_other_urls_reach_celery_as_they_are() -> None:
    assert broker_settings("rediss://h:1/0") == {"broker_url": "rediss://h:1/0", "broker_transport_options": {}}
