"""Every way into a cluster: a slot copies records, and the control plane lists topics, through each of them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from replication.kafka.admin import open_admin
from tests.support.engine.slots import SlotLab, level
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.guarded_cluster import PASSWORD, SCRAM_USER, GuardedCluster, jaas
from tests.support.kafka.kafka_records import produce, read_all
from tests.support.servers.kdc import REALM, Realm, missing_tools
from tests.support.servers.pki import STORE_PASSWORD
from tests.support.servers.token_endpoint import CLIENT_ID, CLIENT_SECRET, TokenEndpoint

pytestmark = pytest.mark.kafka

RECORDS = 20


class Door(NamedTuple):
    """A listener and how to open it, with what the fixtures know."""

    listener: str
    settings: Callable[["Keys"], dict[str, str]]


class Keys(NamedTuple):
    guarded: GuardedCluster
    tokens: TokenEndpoint
    realm: Realm | None
    folder: Path

    def trusted(self, kind: str) -> dict[str, str]:
        path = self.folder / f"trusted.{kind.lower()}"
        if kind == "PEM":
            self.guarded.authority.write_pem(path)
        else:
            self.guarded.authority.write_truststore(path, kind)
        password = {} if kind == "PEM" else {"ssl.truststore.password": STORE_PASSWORD}
        return {"ssl.truststore.location": str(path), "ssl.truststore.type": kind, **password}


def pem_files(keys: Keys) -> dict[str, str]:
    store = keys.guarded.authority.issue("client").write_pem(keys.folder / "client.pem")
    mine = {"ssl.keystore.location": str(store), "ssl.keystore.type": "PEM"}
    return {"security.protocol": "SSL", **keys.trusted("PEM"), **mine}


def pem_texts(keys: Keys) -> dict[str, str]:
    client = keys.guarded.authority.issue("client")
    return {
        "security.protocol": "SSL",
        "ssl.truststore.certificates": keys.guarded.authority.root_pem,
        "ssl.keystore.certificate.chain": client.chain_pem,
        "ssl.keystore.key": client.key_pem("key, secret"),
        "ssl.key.password": "key, secret",
    }


def pkcs12(keys: Keys) -> dict[str, str]:
    store = keys.guarded.authority.issue("client").write_pkcs12(keys.folder / "client.p12")
    return {
        "security.protocol": "SSL",
        **keys.trusted("PKCS12"),
        "ssl.keystore.location": str(store),
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.password": STORE_PASSWORD,
        "ssl.enabled.protocols": "TLSv1.2",
        "ssl.cipher.suites": "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    }


def jks(keys: Keys) -> dict[str, str]:
    store = keys.guarded.authority.issue("client").write_jks(keys.folder / "client.jks", "key, secret")
    return {
        "security.protocol": "SSL",
        **keys.trusted("JKS"),
        "ssl.keystore.location": str(store),
        "ssl.keystore.password": STORE_PASSWORD,
        "ssl.key.password": "key, secret",
    }


def plain(_keys: Keys) -> dict[str, str]:
    login = jaas("plain.PlainLoginModule", username="srm", password=PASSWORD)
    return {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.jaas.config": login}


def scram_256(_keys: Keys) -> dict[str, str]:
    login = jaas("scram.ScramLoginModule", username=SCRAM_USER, password=PASSWORD)
    return {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "SCRAM-SHA-256", "sasl.jaas.config": login}


def scram_512_over_tls(keys: Keys) -> dict[str, str]:
    return {
        **scram_256(keys),
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        **keys.trusted("PKCS12"),
    }


def plain_over_tls(keys: Keys) -> dict[str, str]:
    return {**plain(keys), "security.protocol": "SASL_SSL", **keys.trusted("JKS")}


def unsecured_token(_keys: Keys) -> dict[str, str]:
    login = jaas("oauthbearer.OAuthBearerLoginModule", unsecuredLoginStringClaim_sub="srm")
    return {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "OAUTHBEARER", "sasl.jaas.config": login}


def token_from_endpoint(keys: Keys) -> dict[str, str]:
    login = jaas("oauthbearer.OAuthBearerLoginModule", clientId=CLIENT_ID, clientSecret=CLIENT_SECRET, scope="kafka")
    return {
        **unsecured_token(keys),
        "sasl.jaas.config": login,
        "sasl.oauthbearer.token.endpoint.url": f"{keys.tokens.base}/token",
        "sasl.login.callback.handler.class": (
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler"
        ),
    }


def token_from_file(keys: Keys) -> dict[str, str]:
    path = keys.folder / "token.jwt"
    path.write_text(keys.tokens.token()["access_token"])
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.oauthbearer.token.endpoint.url": f"file://{path}",
    }


def kerberos(keys: Keys) -> dict[str, str]:
    if keys.realm is None:
        pytest.skip(f"no KDC on this machine, {missing_tools()} missing: apt-get install krb5-kdc krb5-admin-server")
    keytab = keys.realm.folder / "srm.keytab"
    if not keytab.exists():
        keys.realm.keytab("srm")
    return {
        "security.protocol": "SASL_PLAINTEXT",  # and GSSAPI, Java's default mechanism
        "sasl.kerberos.service.name": "kafka",
        "sasl.jaas.config": (
            "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true storeKey=true\n"
            f'  keyTab="{keytab}" principal="srm@{REALM}";'
        ),
    }


def kerberos_over_tls(keys: Keys) -> dict[str, str]:
    return {**kerberos(keys), "security.protocol": "SASL_SSL", **keys.trusted("PEM")}


DOORS = {
    "TLS with PEM files": Door("TLS", pem_files),
    "TLS with PEM texts": Door("TLS", pem_texts),
    "TLS 1.2 with PKCS12": Door("TLS", pkcs12),
    "TLS with JKS": Door("TLS", jks),
    "PLAIN": Door("SASL", plain),
    "SCRAM-SHA-256": Door("SASL", scram_256),
    "SCRAM-SHA-512 over TLS": Door("SASLTLS", scram_512_over_tls),
    "PLAIN over TLS": Door("SASLTLS", plain_over_tls),
    "an unsecured token": Door("SASL", unsecured_token),
    "a token from an endpoint": Door("OIDC", token_from_endpoint),
    "a token from a file": Door("OIDC", token_from_file),
    "Kerberos": Door("SASL", kerberos),
    "Kerberos over TLS": Door("SASLTLS", kerberos_over_tls),
}


@pytest.fixture
def keys(guarded: GuardedCluster, tokens: TokenEndpoint, realm: Realm | None, tmp_path: Path) -> Keys:
    return Keys(guarded, tokens, realm, tmp_path)


@pytest.fixture
def lab(guarded: GuardedCluster) -> Iterator[SlotLab]:
    slot_lab = SlotLab(TwoClusters(source=guarded.cluster, target=guarded.cluster))
    yield slot_lab
    slot_lab.close()


@pytest.mark.parametrize("name", DOORS)
def test_a_slot_copies_and_topics_are_listed_through(name: str, keys: Keys, lab: SlotLab) -> None:
    door, topic = DOORS[name], f"through-{lab.source.alias}"
    settings = door.settings(keys)
    source = keys.guarded.client(lab.source.alias, door.listener, settings)
    lab.source, lab.target = source, replace(source, alias=lab.target.alias)
    produce(lab.source_bootstrap, lab.topic(topic), ({"value": b"%d" % number} for number in range(RECORDS)))

    lab.copy_until(lab.spec({topic: 1}), level(RECORDS))

    (copied,) = read_all(lab.target_bootstrap, lab.remote(topic))
    assert [record.value for record in copied] == [b"%d" % number for number in range(RECORDS)]
    assert topic in open_admin(source).list_topics()
