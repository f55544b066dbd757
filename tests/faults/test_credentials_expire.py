"""A password changes or a certificate runs out under a flow: that flow says so, others continue, and it recovers."""

import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from confluent_kafka.admin import ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion

from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.machine.ports import free_port
from tests.support.engine.auditor import audit_topic
from tests.support.engine.engine_fleet import SETTINGS, EngineFleet
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import admin, create_topic, end_offsets
from tests.support.kafka.writer import Traffic, fault_seed, say
from tests.support.servers.listeners import TwoDoors, scram_client, start_with_second_listener
from tests.support.servers.pki import Authority
from tests.support.servers.proxy import SlowLink

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(300)]

PARTITIONS = 2
RATE = 500
SESSION_MS = 5_000  # a connection must authenticate again after that, or is closed by the broker
SAYS_SO_S = 30.0
CERTIFICATE_S = 45.0  # enough to start everything on a loaded machine
OLD, NEW = "old password", "new password"


@pytest.fixture
def guarded(dev_clusters: DevClusters) -> Iterator[TwoDoors]:
    alias = f"scram-{uuid.uuid4().hex[:6]}"
    extra = {"connections.max.reauth.ms": str(SESSION_MS)}
    doors = start_with_second_listener(dev_clusters, alias, protocol="SASL_PLAINTEXT", extra=extra)
    set_password(doors.bootstrap, OLD)
    yield doors
    dev_clusters.stop([alias])


def set_password(bootstrap: str, password: str) -> None:
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
    change = UserScramCredentialUpsertion("srm", info, password.encode())
    for answer in admin(bootstrap).alter_user_scram_credentials([change]).values():
        answer.result(10)


def flow(source: str, topic: str) -> DesiredFlow:
    return DesiredFlow(
        source=source,
        heartbeats=False,
        topics=NamePatterns(allow=(topic,)),
        connectors=ConnectorSettings(source=SETTINGS),
    )


class Scene:
    """The flow that is hit, and one between open clusters beside it; the locked cluster is source or target."""

    def __init__(self, fleet: EngineFleet, clusters: TwoClusters, locked: TwoDoors, side: str) -> None:
        self.fleet, self.locked = fleet, locked
        self.topic = f"orders-{uuid.uuid4().hex[:6]}"
        self.alias, self._a, self._b = (f"{word}{uuid.uuid4().hex[:4]}" for word in ("locked", "a", "b"))
        self.hit = (self.alias, self._b) if side == "source" else (self._a, self.alias)
        self.open = (self._a, self._b)
        fleet.bootstraps[self.alias] = locked.bootstrap
        fleet.cluster(self._a, clusters.source.bootstrap)
        fleet.cluster(self._b, clusters.target.bootstrap)
        for source in {self.hit[0], self._a}:
            create_topic(fleet.bootstraps[source], self.topic, PARTITIONS)

    def give(self, bootstrap: str, client: dict[str, str]) -> None:
        """The settings that an operator writes for the locked cluster."""
        self.fleet.cluster(self.alias, bootstrap, client)
        for target in {self._b, self.hit[1]}:
            flows = [flow(source, self.topic) for source, into in (self.hit, self.open) if into == target]
            self.fleet.publish(target, *flows)

    def copied(self, pair: tuple[str, str]) -> int:
        return sum(end_offsets(self.fleet.bootstraps[pair[1]], f"{pair[0]}.{self.topic}", PARTITIONS))

    def causes(self, pair: tuple[str, str]) -> list[str]:
        documents = [*self.fleet.live(*pair), *self.fleet.live(*pair, kind="plan")]
        return [f"{each['cause']['code']} {each['cause']['text']}" for each in documents if each["cause"]]

    @contextmanager
    def traffic(self) -> Iterator[Traffic]:
        """Into both sources; answers the writer of the open one."""
        seed = fault_seed()
        with ExitStack() as stack:
            if self.hit[0] == self.alias:
                stack.enter_context(Traffic(self.locked.bootstrap, self.topic, PARTITIONS, RATE, seed=seed).flowing())
            source = self.fleet.bootstraps[self._a]
            yield stack.enter_context(Traffic(source, self.topic, PARTITIONS, RATE, seed=seed).flowing())

    def start(self) -> None:
        self.fleet.start("one", "control")
        self.fleet.start("one", "data")
        self.fleet.wait_until("both flow", lambda: min(self.copied(self.hit), self.copied(self.open)) > RATE)
        for source, target in (self.hit, self.open):  # a second of catching up is more than one of traffic
            self.fleet.wait_level(source, target, self.topic, PARTITIONS, or_beyond=True)

    def wait_told(self, word: str, traffic: Traffic) -> None:
        """The hit flow names its trouble in time, the other flow continues."""

        def told() -> bool:
            return any(word in text.lower() for text in self.causes(self.hit))

        took_s = self.fleet.wait_until(f"the flow says {word!r}", told, 60)
        say(f"said so after {took_s:.1f} s: {self.causes(self.hit)}")
        assert took_s <= SAYS_SO_S
        before = self.copied(self.open)
        traffic.wait_for(4 * RATE)
        assert self.copied(self.open) - before >= 2 * RATE, "the open flow was stopped as well"
        assert not self.causes(self.open)

    def check(self) -> None:
        for source, target in (self.hit, self.open):
            self.fleet.wait_level(source, target, self.topic, PARTITIONS)
            ends = (self.fleet.bootstraps[source], self.fleet.bootstraps[target])
            findings = audit_topic(*ends, self.topic, f"{source}.{self.topic}", PARTITIONS)
            say(f"{source}->{target}: {findings}")
            findings.check(duplicates_at_most=4 * RATE if (source, target) == self.hit else 0)


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_changed_password_stops_its_flow_alone_until_the_new_one_is_given(
    guarded: TwoDoors, two_clusters: TwoClusters, engine_fleet: EngineFleet, side: str
) -> None:
    scene = Scene(engine_fleet, two_clusters, guarded, side)
    scene.give(guarded.second, scram_client("srm", OLD))
    with scene.traffic() as traffic:
        scene.start()
        set_password(guarded.bootstrap, NEW)
        scene.wait_told("authent", traffic)
        scene.give(guarded.second, scram_client("srm", NEW))
        engine_fleet.wait_until("nothing is wrong any more", lambda: not scene.causes(scene.hit))
    scene.check()


@dataclass(frozen=True, slots=True)
class MutualTls:
    """A cluster that wants certificates, behind a link that can break its connections."""

    doors: TwoDoors
    link: SlowLink
    authority: Authority

    def client(self, life: timedelta) -> dict[str, str]:
        me = self.authority.issue("srm", life=life)
        return {
            "security.protocol": "SSL",
            "ssl.truststore.type": "PEM",
            "ssl.truststore.certificates": self.authority.root_pem,
            "ssl.keystore.type": "PEM",
            "ssl.keystore.certificate.chain": me.chain_pem,
            "ssl.keystore.key": me.key_pem(),
        }


@pytest.fixture
def mutual_tls(dev_clusters: DevClusters, tmp_path: Path) -> Iterator[MutualTls]:
    authority, link, alias = Authority(), SlowLink(free_port()), f"tls-{uuid.uuid4().hex[:6]}"
    extra = {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(authority.issue("broker").write_pem(tmp_path / "broker.pem")),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(authority.write_pem(tmp_path / "root.pem")),
        "ssl.client.auth": "required",
    }
    doors = start_with_second_listener(dev_clusters, alias, protocol="SSL", advertised_port=link.port, extra=extra)
    link.upstream_port = doors.second_port
    yield MutualTls(doors, link, authority)
    link.close()
    dev_clusters.stop([alias])


def test_a_certificate_that_runs_out_stops_its_flow_alone_until_a_new_one_is_given(
    mutual_tls: MutualTls, two_clusters: TwoClusters, engine_fleet: EngineFleet
) -> None:
    """An open connection outlives the certificate; the expiry shows when connections are opened again."""
    scene = Scene(engine_fleet, two_clusters, mutual_tls.doors, "source")
    bootstrap = f"127.0.0.1:{mutual_tls.link.port}"
    runs_out_s = time.monotonic() + CERTIFICATE_S
    scene.give(bootstrap, mutual_tls.client(timedelta(seconds=CERTIFICATE_S)))
    with scene.traffic() as traffic:
        scene.start()
        traffic.wait_to_pass(max(0.0, runs_out_s + 1.0 - time.monotonic()))
        with mutual_tls.link.down():
            pass
        scene.wait_told("certificate", traffic)
        scene.give(bootstrap, mutual_tls.client(timedelta(days=1)))
        engine_fleet.wait_until("nothing is wrong any more", lambda: not scene.causes(scene.hit))
    scene.check()
