"""The control plane's way into Kerberos clusters: for this process only, and for longer than a session."""

import time
from dataclasses import replace

import pytest

from replication.config.security.client_security import client_security
from replication.domain.errors import AuthenticationError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.kerberos.gateway import kerberos_gateway
from tests.support.kafka.guarded_cluster import SESSION_MS, GuardedCluster, jaas
from tests.support.servers.kdc import REALM, Realm, missing_tools

pytestmark = pytest.mark.kafka


@pytest.fixture
def client(guarded: GuardedCluster, realm: Realm | None) -> ClusterClient:
    if realm is None:
        pytest.skip(f"no KDC on this machine, {missing_tools()} missing: apt-get install krb5-kdc krb5-admin-server")
    keytab = realm.folder / "control.keytab"
    if not keytab.exists():
        realm.keytab("control")
    module = "com.sun.security.auth.module.Krb5LoginModule"
    settings = {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.kerberos.service.name": "kafka",
        "sasl.jaas.config": f'{module} required useKeyTab=true keyTab="{keytab}" principal="control@{REALM}";',
    }
    return guarded.client("kerberos", "SASL", settings)


def test_topics_are_listed_over_several_sessions(client: ClusterClient) -> None:
    admin = open_admin(client)
    until_s = time.monotonic() + 3 * SESSION_MS / 1_000

    while time.monotonic() < until_s:
        assert admin.list_topics() is not None

    assert admin.describe_cluster().brokers == 1


def test_strangers_on_the_machine_are_refused(client: ClusterClient) -> None:
    _gateway, addresses = kerberos_gateway(client_security(client.client, "kerberos"), client.bootstrap)
    login = jaas("plain.PlainLoginModule", username="srm", password="guessed")
    settings = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.jaas.config": login}

    with pytest.raises(AuthenticationError, match="its own process only"):
        open_admin(ClusterClient(alias="stranger", bootstrap=tuple(addresses), client=settings)).list_topics()


def test_a_missing_keytab_is_named(client: ClusterClient) -> None:
    wrong = client.client["sasl.jaas.config"].replace("control.keytab", "lost.keytab")
    admin = open_admin(replace(client, client={**client.client, "sasl.jaas.config": wrong}))

    with pytest.raises(AuthenticationError, match=r"lost\.keytab"):
        admin.list_topics()
