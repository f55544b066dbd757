"""Another user for a cluster under traffic: the slot logs in with it and copies on, as the same producer."""

from dataclasses import replace

import pytest
from confluent_kafka.admin import ScramMechanism, UserScramCredentialDeletion

from replication.domain.names.internal_topics import PRODUCERS_TOPIC
from replication.domain.settings.choices import Delivery
from tests.support.engine.auditor import audit_topic
from tests.support.engine.slots import SlotLab, level, refused, until
from tests.support.kafka.guarded_cluster import PASSWORD, SESSION_MS, GuardedCluster, scram
from tests.support.kafka.kafka_records import admin, end_offsets
from tests.support.kafka.writer import Traffic

pytestmark = pytest.mark.kafka

PARTITIONS = 2
RATE = 1_000
LATER = "known to the cluster later"


def give(guarded: GuardedCluster, lab: SlotLab, user: str, password: str = PASSWORD) -> None:
    """The settings of both clusters, which are one."""
    client = guarded.client(lab.source.alias, "SASL", scram(user, password))
    lab.source, lab.target = client, replace(client, alias=lab.target.alias)


def remove_user(bootstrap: str, user: str) -> None:
    change = UserScramCredentialDeletion(user, ScramMechanism.SCRAM_SHA_256)
    for answer in admin(bootstrap).alter_user_scram_credentials([change]).values():
        answer.result(10)


@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
def test_the_slot_copies_on_as_another_user_and_needs_the_former_one_no_more(
    guarded: GuardedCluster,
    lab: SlotLab,
    delivery: Delivery,
) -> None:
    before, after = f"before-{lab.source.alias}", f"after-{lab.source.alias}"
    guarded.set_scram_password(256, PASSWORD, before)
    give(guarded, lab, before)
    bootstrap = lab.source_bootstrap
    topic = lab.topic(f"topic-of-{lab.source.alias}", PARTITIONS)
    spec = lab.spec({topic: PARTITIONS}, delivery=delivery)

    with lab.running(spec) as handle, Traffic(bootstrap, topic, PARTITIONS, RATE).flowing() as traffic:
        until(handle, lambda live: live.get("records_total", 0) > 0)
        claims = end_offsets(bootstrap, PRODUCERS_TOPIC, 1)
        give(guarded, lab, after, LATER)
        handle.update(replace(spec, source=lab.source, target=lab.target))
        until(handle, refused(lab.target))
        copied = handle.live()["records_total"]
        until(handle, lambda live: live["records_total"] > copied + RATE / 10)  # as the user of before

        guarded.set_scram_password(256, LATER, after)
        until(handle, lambda live: live["cause"] is None)
        remove_user(bootstrap, before)
        traffic.wait_to_pass(1.2 * SESSION_MS / 1_000)  # nobody is the former user any more
        assert handle.live()["cause"] is None
        assert end_offsets(bootstrap, PRODUCERS_TOPIC, 1) == claims, "the slot has fenced itself"
    lab.copy_until(replace(spec, source=lab.source, target=lab.target), level(0))

    findings = audit_topic(bootstrap, bootstrap, topic, lab.remote(topic), PARTITIONS)
    assert findings.check(duplicates_at_most=0).source_records == traffic.written
