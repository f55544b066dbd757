"""A flow's clusters get another user while records flow: no slot restarts, no partition pauses, nothing is lost."""

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from cryptography.fernet import Fernet

from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.settings.choices import Delivery
from replication.worker.state import keys
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.machine.processes import end, start_detached
from srm_cli.system import commands
from tests.support.engine.auditor import audit_topic
from tests.support.engine.engine_fleet import SETTINGS, EngineFleet
from tests.support.engine.partition_pauses import PartitionPauses
from tests.support.kafka.kafka_records import admin, create_topic, end_offsets
from tests.support.kafka.writer import Traffic, fault_seed, say
from tests.support.servers.listeners import AUTHORIZER, TwoDoors, scram_client, start_with_second_listener
from tests.support.servers.service import RunningService, running_service

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(300)]

PARTITIONS, SLOTS = 4, 2
RATE = 500
SESSION_MS = 5_000  # a connection must authenticate again after that, or is closed by the broker
PAUSE_S = 2.0
BESIDE_SERVICE_PAUSE_S = 4.0  # the service, its maintenance worker and the broker share the cores with the slots
BEFORE, AFTER = "before", "after"
JAAS = "sasl.jaas.config"
NOTICED_S = 25.0  # references are looked up every ten seconds, on a machine with much else to do
EVERYTHING = (
    (ResourceType.TOPIC, "*"),
    (ResourceType.GROUP, "*"),
    (ResourceType.TRANSACTIONAL_ID, "*"),
    (ResourceType.BROKER, "kafka-cluster"),
)


@pytest.fixture
def guarded(dev_clusters: DevClusters) -> Iterator[TwoDoors]:
    alias = f"guarded-{uuid.uuid4().hex[:6]}"
    extra = {**AUTHORIZER, "super.users": f"User:ANONYMOUS;User:{AFTER}", "connections.max.reauth.ms": str(SESSION_MS)}
    doors = start_with_second_listener(dev_clusters, alias, protocol="SASL_PLAINTEXT", extra=extra)
    set_password(doors.bootstrap, BEFORE, "secret")
    allowed = [
        AclBinding(
            kind,
            name,
            ResourcePatternType.LITERAL,
            f"User:{BEFORE}",
            "*",
            AclOperation.ALL,
            AclPermissionType.ALLOW,
        )
        for kind, name in EVERYTHING
    ]
    for answer in admin(doors.bootstrap).create_acls(allowed).values():
        answer.result(10)
    yield doors
    dev_clusters.stop([alias])


def set_password(bootstrap: str, user: str, password: str) -> None:
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
    change = UserScramCredentialUpsertion(user, info, password.encode())
    for answer in admin(bootstrap).alter_user_scram_credentials([change]).values():
        answer.result(10)


def remove(bootstrap: str, user: str) -> None:
    """Take its rights, which counts for open connections too, and its password."""
    everywhere: Any = None  # the client's types do not know that it stands for any
    rights = AclBindingFilter(
        ResourceType.ANY,
        everywhere,
        ResourcePatternType.ANY,
        f"User:{user}",
        everywhere,
        AclOperation.ANY,
        AclPermissionType.ANY,
    )
    for taken in admin(bootstrap).delete_acls([rights]).values():
        assert len(taken.result(10)) == len(EVERYTHING)
    change = UserScramCredentialDeletion(user, ScramMechanism.SCRAM_SHA_256)
    for answer in admin(bootstrap).alter_user_scram_credentials([change]).values():
        answer.result(10)


class Scene:
    """A flow from the guarded cluster to itself, under two aliases."""

    longest_pause_s = PAUSE_S

    def __init__(self, fleet: EngineFleet, guarded: TwoDoors, delivery: Delivery) -> None:
        self.fleet, self.guarded, self.delivery = fleet, guarded, delivery
        self.topic = f"orders-{uuid.uuid4().hex[:6]}"
        self.source, self.target = "east", "west"
        fleet.bootstraps |= dict.fromkeys((self.source, self.target), guarded.bootstrap)
        create_topic(guarded.bootstrap, self.topic, PARTITIONS)

    @property
    def remote(self) -> str:
        return f"{self.source}.{self.topic}"

    def give(self, user: str, password: str) -> None:
        for alias in (self.source, self.target):
            self.fleet.cluster(alias, self.guarded.second, scram_client(user, password))
        flow = DesiredFlow(
            source=self.source,
            heartbeats=False,
            tasks_max=SLOTS,
            delivery=self.delivery,
            topics=NamePatterns(allow=(self.topic,)),
            connectors=ConnectorSettings(source=SETTINGS),
        )
        self.fleet.publish(self.target, flow)

    def start(self) -> None:
        self.fleet.start("one", "control")
        self.fleet.start("one", "data")
        self.fleet.wait_until("every partition flows", lambda: min(self.copied()) > 0)
        self.fleet.wait_until("all slots run", lambda: len(self.since_ms()) == SLOTS)

    def copied(self) -> list[int]:
        return end_offsets(self.guarded.bootstrap, self.remote, PARTITIONS)

    def since_ms(self) -> dict[str, int]:
        documents = self.fleet.live(self.source, self.target)
        return {each["task"]: each["since_ms"] for each in documents if each["state"] == "running"}

    def causes(self) -> list[str]:
        documents = self.fleet.live(self.source, self.target)
        return [f"{each['cause']['code']} {each['cause']['text']}" for each in documents if each["cause"]]

    @contextmanager
    def undisturbed(self) -> Iterator[Callable[[], None]]:
        """Yields a check that no slot has restarted and no partition has paused, which is done at the end as well."""
        since_ms = self.since_ms()

        def check() -> None:
            assert self.since_ms() == since_ms
            assert max(pauses.longest_s()) <= self.longest_pause_s, f"{pauses.longest_s()}\n{self.fleet.logs()}"

        with PartitionPauses(self.guarded.bootstrap, self.remote, PARTITIONS).watched() as pauses:
            yield check
            check()
            say(f"{self.delivery}: longest pauses {[round(each, 2) for each in pauses.longest_s()]} s")

    def audit(self) -> None:
        self.fleet.wait_level(self.source, self.target, self.topic, PARTITIONS)
        bootstrap = self.guarded.bootstrap
        findings = audit_topic(bootstrap, bootstrap, self.topic, self.remote, PARTITIONS)
        say(f"{self.delivery}: {findings}")
        findings.check(duplicates_at_most=0)


@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
def test_another_user_takes_over_and_the_former_one_can_be_removed(
    guarded: TwoDoors, engine_fleet: EngineFleet, delivery: Delivery
) -> None:
    set_password(guarded.bootstrap, AFTER, "secret")
    scene = Scene(engine_fleet, guarded, delivery)
    scene.give(BEFORE, "secret")
    with Traffic(guarded.bootstrap, scene.topic, PARTITIONS, RATE, seed=fault_seed()).flowing() as traffic:
        scene.start()
        with scene.undisturbed() as check:
            scene.give(AFTER, "secret")
            traffic.wait_to_pass(SESSION_MS / 1_000)
            check()
            remove(guarded.bootstrap, BEFORE)
            traffic.wait_to_pass(2.5 * SESSION_MS / 1_000)
            assert scene.causes() == []
    scene.audit()


def test_a_refused_login_is_told_while_the_one_before_it_copies_on(
    guarded: TwoDoors, engine_fleet: EngineFleet
) -> None:
    set_password(guarded.bootstrap, AFTER, "secret")
    scene = Scene(engine_fleet, guarded, "exactly_once")
    scene.give(BEFORE, "secret")
    with Traffic(guarded.bootstrap, scene.topic, PARTITIONS, RATE, seed=fault_seed()).flowing() as traffic:
        scene.start()
        with scene.undisturbed() as check:
            scene.give(AFTER, "a mistake")

            def told() -> bool:
                return sum("the changed login is refused" in cause for cause in scene.causes()) == SLOTS

            engine_fleet.wait_until("the slots say so", told, 15)
            assert {cause.split()[0] for cause in scene.causes()} == {"authentication_failed"}
            traffic.wait_to_pass(2.5 * SESSION_MS / 1_000)
            check()
            scene.give(AFTER, "secret")
            engine_fleet.wait_until("nothing is wrong any more", lambda: not scene.causes(), 15)
            remove(guarded.bootstrap, BEFORE)
            traffic.wait_to_pass(1.5 * SESSION_MS / 1_000)
            assert scene.causes() == []
    scene.audit()


class ServedScene(Scene):
    """The same flow, defined over REST: the service and its maintenance worker publish what the drivers follow."""

    longest_pause_s = BESIDE_SERVICE_PAUSE_S

    def __init__(self, fleet: EngineFleet, guarded: TwoDoors, service: RunningService) -> None:
        super().__init__(fleet, guarded, "at_least_once")
        self._service = service

    def send(self, method: str, path: str, body: object) -> None:
        access = ("admin", self._service.admin_password)
        url = f"{self._service.url}/api/v2/{path}"
        answer = httpx.request(method, url, auth=access, json=body, timeout=40, trust_env=False)
        assert answer.is_success, answer.text

    def define(self, login: str) -> None:
        """Register both clusters with this value of `sasl.jaas.config`, and create the flow."""
        client = scram_client(BEFORE, "")
        del client[JAAS]
        for alias in (self.source, self.target):
            cluster = {"alias": alias, "bootstrap": [self.guarded.second], "client": client, "secrets": {JAAS: login}}
            self.send("POST", "clusters", cluster)
        flow = {
            "source": self.source,
            "target": self.target,
            "tasks_max": SLOTS,
            "topics_allow": [self.topic],
            "properties": {**SETTINGS, "emit.heartbeats.enabled": "false", "sync.group.offsets.enabled": "false"},
        }
        self.send("POST", "replications", flow)

    def change(self, login: str) -> None:
        """Give both clusters this value of `sasl.jaas.config`."""
        for alias in (self.source, self.target):
            self.send("PATCH", f"clusters/{alias}", {"secrets": {JAAS: login}})

    def is_followed(self, login: str) -> bool:
        """True when each slot has applied a desired document with this login of both clusters."""
        with self.fleet.client() as client:
            document: dict[str, Any] = json.loads(cast("bytes", client.get(keys.desired(self.target))))
        box = Fernet(self.fleet.transport_key.encode())
        secrets = [json.loads(box.decrypt(each["secret"].encode())) for each in document["clusters"].values()]
        applied = [each["applied_revision"] for each in self.fleet.live(self.source, self.target)]
        return all(each[JAAS] == login for each in secrets) and min(applied) >= document["revision"]


@pytest.fixture
def served(guarded: TwoDoors, engine_fleet: EngineFleet, tmp_path: Path) -> Iterator[ServedScene]:
    url, key = engine_fleet.redis.url, engine_fleet.transport_key
    with running_service(tmp_path / "service", url, SRM_TRANSPORT_KEYS=key) as service:
        command = commands.maintenance(schedule=tmp_path / "schedule", log_level="INFO")
        worker = start_detached(command, log=service.log, env=service.env, tie_to_parent=True)
        try:
            yield ServedScene(engine_fleet, guarded, service)
        finally:
            end([worker], grace_seconds=10.0)


def jaas(user: str) -> str:
    return scram_client(user, "secret")[JAAS]


@pytest.mark.parametrize("by", ["rest", "file"])
def test_a_login_that_is_changed_over_rest_or_in_a_file_behind_a_reference_restarts_no_slot(
    served: ServedScene, tmp_path: Path, by: str
) -> None:
    guarded, file = served.guarded, tmp_path / "login.properties"
    set_password(guarded.bootstrap, AFTER, "secret")
    file.write_text(f"login = {jaas(BEFORE)}\n")
    served.define(f"${{file:{file}:login}}" if by == "file" else jaas(BEFORE))
    with Traffic(guarded.bootstrap, served.topic, PARTITIONS, RATE, seed=fault_seed()).flowing() as traffic:
        served.start()
        assert served.is_followed(jaas(BEFORE))
        with served.undisturbed() as check:
            if by == "file":
                file.write_text(f"login = {jaas(AFTER)}\n")
            else:
                served.change(jaas(AFTER))
            taken_s = served.fleet.wait_until("the slots have the login", lambda: served.is_followed(jaas(AFTER)), 60)
            say(f"{by}: drivers have the new login after {taken_s:.1f} s")
            assert taken_s < (NOTICED_S if by == "file" else BESIDE_SERVICE_PAUSE_S)
            traffic.wait_to_pass(SESSION_MS / 1_000)
            check()
            remove(guarded.bootstrap, BEFORE)
            traffic.wait_to_pass(2.5 * SESSION_MS / 1_000)
            assert served.causes() == []
    served.audit()
