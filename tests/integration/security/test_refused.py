"""A cluster that refuses us: named as such, not hammered, and forgiven by itself once the reason is gone."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from replication.wire.network.cluster_login import cluster_login
from tests.support.engine.slots import SlotLab, level, refused, until
from tests.support.eventually import eventually
from tests.support.kafka.guarded_cluster import PASSWORD, SESSION_MS, GuardedCluster, jaas, scram
from tests.support.kafka.kafka_records import produce, read_all
from tests.support.servers.pki import Authority
from tests.support.servers.token_endpoint import CLIENT_ID, CLIENT_SECRET, TokenEndpoint

pytestmark = pytest.mark.kafka


def filled(lab: SlotLab, records: int = 10) -> str:
    """A source topic with records."""
    topic = lab.topic(f"topic-of-{lab.source.alias}")
    produce(lab.source_bootstrap, topic, ({"value": b"%d" % number} for number in range(records)))
    return topic


def test_a_wrong_password_is_named_and_a_corrected_one_lets_the_flow_run(guarded: GuardedCluster, lab: SlotLab) -> None:
    user = lab.source.alias
    guarded.set_scram_password(256, "another", user)
    lab.source = guarded.client(lab.source.alias, "SASL", scram(user, PASSWORD))
    topic = filled(lab)

    with lab.running(lab.spec({topic: 1})) as handle:
        until(handle, refused(lab.source))
        guarded.set_scram_password(256, PASSWORD, user)
        until(handle, level(10))
        assert handle.live()["cause"] is None


def test_a_password_that_stops_to_hold_stalls_the_flow_until_it_holds_again(
    guarded: GuardedCluster, lab: SlotLab
) -> None:
    user = lab.source.alias
    guarded.set_scram_password(256, PASSWORD, user)
    lab.source = guarded.client(lab.source.alias, "SASL", scram(user, PASSWORD))
    topic = filled(lab)

    with lab.running(lab.spec({topic: 1})) as handle:
        until(handle, level(10))
        guarded.set_scram_password(256, "another", user)
        until(handle, refused(lab.source))  # at the next login, when the session ends
        produce(lab.source_bootstrap, topic, ({"value": b"more"} for _ in range(5)))
        guarded.set_scram_password(256, PASSWORD, user)
        until(handle, level(15))

    (copied,) = read_all(lab.target_bootstrap, lab.remote(topic))
    assert len(copied) == 15


def test_an_expired_certificate_is_named_and_a_new_file_is_used_without_a_restart(
    guarded: GuardedCluster, lab: SlotLab, tmp_path: Path
) -> None:
    store = guarded.authority.issue("client", life=timedelta(days=-1)).write_pem(tmp_path / "client.pem")
    settings = {
        "security.protocol": "SSL",
        "ssl.truststore.certificates": guarded.authority.root_pem,
        "ssl.keystore.location": str(store),
        "ssl.keystore.type": "PEM",
    }
    client = guarded.client(lab.source.alias, "TLS", settings)
    lab.source, lab.target = client, replace(client, alias=lab.target.alias)
    topic = filled(lab)

    with lab.running(lab.spec({topic: 1})) as handle:
        until(handle, refused(lab.target))
        guarded.authority.issue("client").write_pem(store)
        until(handle, level(10))


def test_a_broker_whose_certificate_we_do_not_trust_is_refused_by_us(guarded: GuardedCluster, lab: SlotLab) -> None:
    settings = {"security.protocol": "SASL_SSL", "ssl.truststore.certificates": Authority("another root").root_pem}
    lab.source = guarded.client(lab.source.alias, "SASLTLS", {**scram("nobody", "x"), **settings})
    topic = filled(lab)

    with lab.running(lab.spec({topic: 1})) as handle:
        until(handle, refused(lab.source))
        assert "certificate" in handle.live()["cause"]["text"]


def test_a_broker_is_asked_ever_less_often_while_it_refuses(guarded: GuardedCluster, lab: SlotLab) -> None:
    lab.source = guarded.client(lab.source.alias, "SASL", scram("nobody", "x"))
    login = cluster_login(lab.source)
    topics = [filled(lab)]

    with lab.running(lab.spec({topics[0]: 1})) as handle:
        until(handle, refused(lab.source))
        eventually(lambda: login.refusals >= 3, 20, "three attempts")
        assert login.pause_s >= 4.0


def test_sessions_of_a_broker_are_renewed_without_a_break(guarded: GuardedCluster, lab: SlotLab) -> None:
    client = guarded.client(lab.source.alias, "SASL", scram("renewed", PASSWORD))
    guarded.set_scram_password(256, PASSWORD, "renewed")
    lab.source, lab.target = client, replace(client, alias=lab.target.alias)
    topic, total = lab.topic(f"topic-of-{lab.source.alias}"), 60

    with lab.running(lab.spec({topic: 1})) as handle:
        for batch in range(6):  # over more than two sessions
            produce(lab.source_bootstrap, topic, ({"value": b"%d" % (batch * 10 + each)} for each in range(10)))
            until(handle, level((batch + 1) * 10))
            handle.wait(SESSION_MS / 2_000)
            assert handle.live()["cause"] is None

    (copied,) = read_all(lab.target_bootstrap, lab.remote(topic))
    assert [record.value for record in copied] == [b"%d" % number for number in range(total)]


def test_a_token_is_fetched_again_before_it_ends(
    guarded: GuardedCluster, lab: SlotLab, tokens: TokenEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "life_s", 4)
    login = jaas("oauthbearer.OAuthBearerLoginModule", clientId=CLIENT_ID, clientSecret=CLIENT_SECRET)
    settings = {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.jaas.config": login,
        "sasl.oauthbearer.token.endpoint.url": f"{tokens.base}/token",
    }
    lab.source = guarded.client(lab.source.alias, "OIDC", settings)
    topic = filled(lab)

    with lab.running(lab.spec({topic: 1})) as handle:
        until(handle, level(10))
        granted = tokens.granted
        eventually(lambda: tokens.granted > granted, 20, "another token")
        produce(lab.source_bootstrap, topic, [{"value": b"more"}])
        until(handle, level(11))
