"""Another user for a cluster under traffic: the slot logs in with it and copies on, as the same producer."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from confluent_kafka.admin import ScramMechanism, UserScramCredentialDeletion

from replication.domain.names.internal_topics import PRODUCERS_TOPIC
from replication.domain.settings.choices import Delivery
from replication.worker.engine.data_engine import WireSlotHandle
from tests.support.engine.auditor import audit_topic
from tests.support.engine.slots import SlotLab, refused, until
from tests.support.eventually import eventually
from tests.support.kafka.guarded_cluster import PASSWORD, SESSION_MS, GuardedCluster, scram
from tests.support.kafka.kafka_records import admin, end_offsets
from tests.support.kafka.writer import Traffic

pytestmark = pytest.mark.kafka

PARTITIONS = 2
RATE = 1_000


def give(guarded: GuardedCluster, lab: SlotLab, user: str) -> None:
    """The settings of both clusters, which are one."""
    client = guarded.client(lab.source.alias, "SASL", scram(user, PASSWORD))
    lab.source, lab.target = client, replace(client, alias=lab.target.alias)


def remove_user(bootstrap: str, user: str) -> None:
    change = UserScramCredentialDeletion(user, ScramMechanism.SCRAM_SHA_256)
    for answer in admin(bootstrap).alter_user_scram_credentials([change]).values():
        answer.result(10)


def users_of(handle: WireSlotHandle) -> set[str | None]:
    """Return the users of the open connections of a slot."""
    links = [*handle._links._to_source, *handle._links._to_target]
    return {each.login.security.username for link in links for each in link._manager._conns.values()}


class Scene:
    """A slot from the cluster to itself that copies as the user `before` and gets the user `after`."""

    def __init__(self, guarded: GuardedCluster, lab: SlotLab, delivery: Delivery) -> None:
        self.guarded, self.lab = guarded, lab
        self.before, self.after = f"before-{lab.source.alias}", f"after-{lab.source.alias}"
        guarded.set_scram_password(256, PASSWORD, self.before)
        give(guarded, lab, self.before)
        self.bootstrap = lab.source_bootstrap
        self.topic = lab.topic(f"topic-of-{lab.source.alias}", PARTITIONS)
        self.spec = lab.spec({self.topic: PARTITIONS}, delivery=delivery)

    def copy(self, change: Callable[[WireSlotHandle], None]) -> None:
        """Copy traffic, change the user, take away the former one, and check that nothing shows it."""
        with self.lab.running(self.spec) as handle:
            with Traffic(self.bootstrap, self.topic, PARTITIONS, RATE).flowing() as traffic:
                until(handle, lambda live: live.get("records_total", 0) > 0)
                claims = end_offsets(self.bootstrap, PRODUCERS_TOPIC, 1)
                change(handle)
                eventually(lambda: users_of(handle) == {self.after}, 30, "every connection logs in as the other user")
                remove_user(self.bootstrap, self.before)
                traffic.wait_to_pass(1.2 * SESSION_MS / 1_000)
                assert handle.live()["cause"] is None
            self.lab.wait_committed(handle, self.topic, PARTITIONS)
            assert end_offsets(self.bootstrap, PRODUCERS_TOPIC, 1) == claims, "the slot has fenced itself"
        findings = audit_topic(self.bootstrap, self.bootstrap, self.topic, self.lab.remote(self.topic), PARTITIONS)
        assert findings.check(duplicates_at_most=0).source_records == traffic.written

    def give(self, handle: WireSlotHandle) -> None:
        give(self.guarded, self.lab, self.after)
        handle.update(replace(self.spec, source=self.lab.source, target=self.lab.target))


@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
def test_the_slot_copies_on_as_another_user_and_needs_the_former_one_no_more(
    guarded: GuardedCluster, lab: SlotLab, delivery: Delivery
) -> None:
    scene = Scene(guarded, lab, delivery)
    guarded.set_scram_password(256, PASSWORD, scene.after)

    scene.copy(scene.give)


@pytest.mark.large
def test_a_user_that_the_cluster_refuses_is_named_while_the_former_one_copies(
    guarded: GuardedCluster, lab: SlotLab
) -> None:
    scene = Scene(guarded, lab, "exactly_once")

    def change(handle: WireSlotHandle) -> None:
        scene.give(handle)
        until(handle, refused(lab.target))
        copied = handle.live()["records_total"]
        until(handle, lambda live: live["records_total"] > copied + 3 * RATE)  # for longer than a session
        assert users_of(handle) == {scene.before}
        guarded.set_scram_password(256, PASSWORD, scene.after)
        until(handle, lambda live: live["cause"] is None)

    scene.copy(change)
