"""Streams groups (KIP-1071) and share groups (KIP-932) of a real broker: how much of them is translated, and why."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from replication.domain.identifiers import TopicPartition
from replication.domain.questions.groups import GroupPartitions, SyncReceipts
from srm_cli.dev_clusters.lifecycle import DevClusters
from tests.integration.groups.outcome_lab import OutcomeLab, committed
from tests.support.engine.slots import SlotLab
from tests.support.eventually import eventually
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import admin
from tests.support.kafka.tools import CONSOLE_SHARE_CONSUMER, FEATURES, run_tool

pytestmark = [pytest.mark.kafka, pytest.mark.slow]
STREAMS_MEMBER = Path(__file__).parents[2] / "support" / "kafka" / "StreamsMember.java"
NEWER = {"unstable.api.versions.enable": "true", "unstable.feature.versions.enable": "true"}
SOON_S = 60.0


@pytest.fixture(scope="module")
def newer_source(dev_clusters: DevClusters, kafka_jars: Path, two_clusters: TwoClusters) -> Iterator[TwoClusters]:
    """A source that has groups of all types."""
    source = dev_clusters.up(["newer"], extra=NEWER)["newer"]
    features = ("--feature", "share.version=1", "--feature", "streams.version=1")
    run_tool(kafka_jars, FEATURES, "--bootstrap-server", source.bootstrap, "upgrade", *features)
    yield TwoClusters(source=source, target=two_clusters.target)
    dev_clusters.stop(["newer"])


@pytest.fixture
def outcome(newer_source: TwoClusters) -> Iterator[OutcomeLab]:
    """100 records are copied, from offset 3 on; record n is at n - 3."""
    slots, name = SlotLab(newer_source), uuid.uuid4().hex[:6]
    made = OutcomeLab(slots=slots, topic=f"newer-{name}", group=f"app-{name}")
    made.fill(100)
    made.copy()
    made.work.allowed = made.group
    yield made
    made.close()
    slots.close()


def test_a_streams_group_has_its_offsets_and_is_blocked_by_its_state_stores(
    outcome: OutcomeLab, kafka_jars: Path
) -> None:
    host, port = outcome.slots.source_bootstrap.split(":")
    changelog = f"{outcome.group}-counts-changelog"
    run_tool(kafka_jars, STREAMS_MEMBER, host, port, outcome.group, outcome.topic, "counts")
    source = admin(outcome.slots.source_bootstrap)
    eventually(lambda: changelog in source.list_topics(timeout=10).topics, SOON_S, "the broker makes the changelog")
    outcome.commit(40)
    outcome.work.find_groups()

    group = outcome.round()

    assert (group.group, group.type) == (outcome.group, "streams")
    assert [each.code for each in group.causes] == ["streams_internal_topics"]
    assert f"state store counts ({changelog})" in group.causes[0].text
    assert group.readiness == "blocked"
    (checkpoint,) = outcome.checkpoints()
    assert (checkpoint.remote, checkpoint.upstream_offset) == (TopicPartition(outcome.remote, 0), 40)
    assert (checkpoint.downstream_offset, outcome.on_target()) == (37, 37)


def test_a_share_group_is_listed_with_the_reason_and_nothing_is_set(outcome: OutcomeLab, kafka_jars: Path) -> None:
    servers = ("--bootstrap-server", outcome.slots.source_bootstrap)
    run_tool(
        kafka_jars, CONSOLE_SHARE_CONSUMER, *servers, "--topic", outcome.topic, "--group", outcome.group,
        "--timeout-ms", "3000",
    )  # fmt: skip

    plan = outcome.work.find_groups()
    (found,) = (each for each in plan.skipped if each.group == outcome.group)
    shown = outcome.ask("group_partitions", groups=(outcome.group,))
    synced = outcome.ask("sync_groups", groups=(outcome.group,))

    assert plan.slots == ()
    assert found.reason == "a share group has no offset per partition that could be translated"
    assert isinstance(shown, GroupPartitions)
    (group,) = shown.groups
    assert (group.type, group.readiness, [each.code for each in group.causes]) == ("share", "blocked", ["share_group"])
    assert "share.auto.offset.reset" in group.causes[0].remedy
    assert isinstance(synced, SyncReceipts)
    assert (synced.items, synced.skipped) == ((), (found,))
    assert committed(outcome.slots.target_bootstrap, outcome.group, outcome.remote) is None
