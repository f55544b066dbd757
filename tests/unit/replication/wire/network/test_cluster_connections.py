"""The login of new connections after a change: the former one, until a broker has accepted the new one."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from replication.config.security.client_security import ClientSecurity
from replication.wire.network.buffers import BufferPool
from replication.wire.network.cluster_connections import ClusterConnections
from replication.wire.network.cluster_login import ClusterLogin
from replication.wire.network.connection_exchange import LoginConnection
from replication.wire.network.error_translation import LoginRefusedError
from replication.wire.network.loop import EngineLoop


def login(user: str) -> ClusterLogin:
    security = ClientSecurity(protocol="SASL_PLAINTEXT", mechanism="PLAIN", username=user, password="p")
    return ClusterLogin(security)


@pytest.fixture
def loop() -> Iterator[EngineLoop]:
    made = EngineLoop("test")  # never started: nothing connects
    yield made
    made.stop(1.0)


@pytest.fixture
def link(loop: EngineLoop) -> ClusterConnections:
    return ClusterConnections(
        loop, BufferPool(1), login("former"), "east", bootstrap_servers=["127.0.0.1:1"], client_id="test"
    )


def connection(of: ClusterLogin) -> LoginConnection:
    futures = SimpleNamespace(add_both=lambda _: None, add_errback=lambda _: None)
    return cast("LoginConnection", SimpleNamespace(login=of, close_future=futures, node_id=1))


def user_of(link: ClusterConnections) -> Any:
    return link.config["sasl_plain_username"], link._login.security.username


def test_without_connections_a_changed_login_is_used_at_once(link: ClusterConnections) -> None:
    link.log_in_as(login("other"))

    assert user_of(link) == ("other", "other")


def test_the_former_login_is_used_until_a_broker_has_accepted_the_other_one(link: ClusterConnections) -> None:
    other = login("other")
    link.put(1, connection(link._login))

    link.log_in_as(other)
    before = user_of(link)
    link.put(1, connection(other))

    assert before == ("former", "former")
    assert user_of(link) == ("other", "other")
    assert link.wants(other)


def test_a_former_login_that_is_refused_gives_way_at_once(link: ClusterConnections) -> None:
    link.put(1, connection(link._login))
    link.log_in_as(login("other"))
    link._login.refused(LoginRefusedError("the user was removed"))
    link._conns.clear()
    link.cluster.broker_metadata = lambda node: SimpleNamespace(node_id=node, host="127.0.0.1", port=1)

    made = link.get_connection(1)

    assert user_of(link) == ("other", "other")
    assert made.config["sasl_plain_username"] == "other"


def test_the_same_login_under_other_settings_changes_nothing(link: ClusterConnections) -> None:
    known = link._login

    link.log_in_as(login("former"))

    assert link._login is known
    assert link.wants(known)
