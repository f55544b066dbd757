"""The connection test against a broker with every kind of listener: what is right is ok, what is wrong is named."""

from pathlib import Path

import pytest

from replication.domain.connection_test.report import BrokerReport, ConnectionReport, ConnectionTest
from replication.domain.connection_test.rights import ClusterUse
from replication.domain.connection_test.steps import first_failure
from replication.domain.plan.slot import ClusterClient
from replication.kafka.connection_test.cluster_test import check_connection
from tests.support.kafka.guarded_cluster import PASSWORD, SCRAM_USER, GuardedCluster, jaas
from tests.support.kafka.kafka_records import create_topic

pytestmark = pytest.mark.kafka

_BOTH: frozenset[ClusterUse] = frozenset({"source", "target"})


def probed(cluster: ClusterClient, *, uses: frozenset[ClusterUse] = frozenset()) -> ConnectionReport:
    return check_connection(cluster, ConnectionTest(deadline_s=20.0, uses=uses))


def scram(password: str, mechanism: str = "SCRAM-SHA-256") -> dict[str, str]:
    login = jaas("scram.ScramLoginModule", username=SCRAM_USER, password=password)
    return {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": mechanism, "sasl.jaas.config": login}


def mutual_tls(guarded: GuardedCluster, folder: Path) -> dict[str, str]:
    store = guarded.authority.issue("client").write_pem(folder / "client.pem")
    return {
        "security.protocol": "SSL",
        "ssl.truststore.certificates": guarded.authority.root_pem,
        "ssl.keystore.location": str(store),
        "ssl.keystore.type": "PEM",
    }


def states(broker: BrokerReport) -> dict[str, str]:
    return {step.name: step.state for step in broker.steps}


def test_every_step_of_a_good_login_is_ok_with_rights_and_the_advertised_brokers(guarded: GuardedCluster) -> None:
    create_topic(guarded.cluster.bootstrap, "probed")

    report = probed(guarded.client("good", "SASL", scram(PASSWORD)), uses=_BOTH)

    assert report.ok, report
    assert report.broker_count == 1
    (broker,) = report.brokers  # the advertised address is the one that was given
    assert list(states(broker)) == ["name", "tcp", "protocol", "sasl", "metadata", "rights"]
    assert {(right.operation, right.allowed) for right in broker.rights} == {
        ("describe", True),
        ("read", True),
        ("write", True),
        ("create", True),
    }


def test_a_plain_listener_needs_neither_tls_nor_login(guarded: GuardedCluster) -> None:
    report = probed(ClusterClient(alias="plain", bootstrap=(guarded.cluster.bootstrap,), client={}))

    assert report.ok, report
    assert list(states(report.brokers[0])) == ["name", "tcp", "protocol", "metadata"]
    assert report.brokers[0].steps[-1].text.endswith(" with 1 broker")
    assert report.brokers[0].kafka_version == "4.1"


def test_the_certificate_of_a_tls_listener_is_shown(guarded: GuardedCluster, tmp_path: Path) -> None:
    report = probed(guarded.client("tls", "TLS", mutual_tls(guarded, tmp_path)))

    assert report.ok, report
    certificate = report.brokers[0].certificate
    assert certificate is not None
    assert certificate.subject == "CN=broker"
    assert certificate.hostname_matches
    assert certificate.expires_soon


def test_a_listener_that_wants_a_certificate_fails_without_ours(guarded: GuardedCluster, tmp_path: Path) -> None:
    settings = mutual_tls(guarded, tmp_path)
    del settings["ssl.keystore.location"], settings["ssl.keystore.type"]

    (broker,) = probed(guarded.client("tls", "TLS", settings)).brokers

    step = first_failure(broker.steps)
    assert step is not None
    assert "certificate" in step.text
    assert states(broker)["metadata"] == "not_reached"


@pytest.mark.parametrize(("bits", "password"), [("SCRAM-SHA-256", "wrong"), ("SCRAM-SHA-1", PASSWORD)])
def test_a_refused_login_fails_at_sasl_or_in_the_settings(guarded: GuardedCluster, bits: str, password: str) -> None:
    report = probed(guarded.client("refused", "SASL", scram(password, bits)))

    if report.error:
        assert "sasl.mechanism" in report.error
        return
    step = first_failure(report.brokers[0].steps)
    assert step is not None
    assert step.name == "sasl", step
    assert "sasl.mechanism" in step.remedy
    assert PASSWORD not in str(report)


def test_sasl_settings_on_a_plain_listener_fail_at_sasl(guarded: GuardedCluster) -> None:
    cluster = ClusterClient(alias="plain", bootstrap=(guarded.cluster.bootstrap,), client=scram(PASSWORD))

    step = first_failure(probed(cluster).brokers[0].steps)

    assert step is not None
    assert step.name == "sasl", step
    assert step.text == "The listener does not use SASL, and security.protocol does."
    assert "security.protocol" in step.remedy
    assert "password" not in step.remedy


def test_plain_settings_on_a_tls_listener_fail_at_the_protocol(guarded: GuardedCluster) -> None:
    (broker,) = probed(guarded.client("tls", "TLS", {})).brokers

    step = first_failure(broker.steps)
    assert step is not None
    assert step.name == "protocol", step
    assert "security.protocol" in step.remedy
