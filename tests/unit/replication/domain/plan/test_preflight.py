"""Findings before the first record, and the commands they offer."""

import pytest

from replication.domain.plan.preflight import (
    SHOWN_PER_CODE,
    Client,
    PreflightFinding,
    TopicPair,
    rights_findings,
    shortened,
    topic_findings,
)
from replication.domain.plan.rights import Right, grant_commands, missing_rights
from replication.domain.plan.topic_config import ConfigSource, ConfigValue
from replication.domain.plan.topic_plan import WantedTopic

TOPIC = WantedTopic(upstream="t", remote="a.t", partitions=3)
BROKER = Client(cluster="b", servers="b1:9092", principal="User:srm")


def configs(source: ConfigSource = "topic", **values: str) -> dict[str, ConfigValue]:
    dotted = {name.replace("_", "."): value for name, value in values.items()}
    return {name: ConfigValue(name=name, value=value, source=source) for name, value in dotted.items()}


def pair(
    upstream: dict[str, ConfigValue] | None = None,
    remote: dict[str, ConfigValue] | None = None,
    *,
    width: int = 3,
    syncs: bool = True,
) -> TopicPair:
    return TopicPair(
        topic=TOPIC, remote_partitions=width, upstream=upstream or {}, remote=remote or {}, syncs_configs=syncs
    )


DELETE, COMPACT = configs("default", cleanup_policy="delete"), configs(cleanup_policy="compact")


@pytest.mark.parametrize(
    ("seen", "code"),
    [
        pytest.param(pair(), None, id="nothing known"),
        pytest.param(pair(DELETE, DELETE), None, id="alike"),
        pytest.param(pair(width=1), None, id="narrower: it is grown"),
        pytest.param(pair(width=5), "remote_topic_wider", id="wider"),
        pytest.param(pair(DELETE, COMPACT), "remote_topic_compacted", id="compaction would drop records"),
        pytest.param(pair(configs(cleanup_policy="delete"), COMPACT), None, id="the sync will set it"),
        pytest.param(
            pair(configs(cleanup_policy="delete"), COMPACT, syncs=False), "remote_topic_compacted", id="no sync"
        ),
        pytest.param(pair(COMPACT, DELETE, syncs=False), "cleanup_policy_differs", id="keeps less than the source"),
        pytest.param(
            pair(configs(cleanup_policy="compact,delete"), configs(cleanup_policy="delete, compact"), syncs=False),
            None,
            id="the order of policies means nothing",
        ),
        pytest.param(
            pair(
                configs("default", message_timestamp_type="CreateTime"),
                configs(message_timestamp_type="LogAppendTime"),
            ),
            "remote_timestamps_replaced",
            id="times would be replaced",
        ),
        pytest.param(
            pair(
                configs(message_timestamp_type="LogAppendTime"),
                configs("static_broker", message_timestamp_type="LogAppendTime"),
            ),
            None,
            id="append times on both sides",
        ),
    ],
)
def test_a_remote_topic_that_was_there_before_is_compared(seen: TopicPair, code: str | None) -> None:
    findings = topic_findings(seen, "b")

    assert [finding.code for finding in findings] == ([code] if code else [])
    assert all(finding.topic == "t" and finding.cluster == "b" and finding.remedy for finding in findings)


def test_only_what_would_lose_records_is_an_error() -> None:
    severities = {finding.code: finding.severity for finding in topic_findings(pair(DELETE, COMPACT, width=9), "b")}

    assert severities == {"remote_topic_wider": "warning", "remote_topic_compacted": "error"}


def test_missing_rights_are_told_one_by_one_with_the_command_that_grants_them() -> None:
    operations = {"a.t": frozenset({"describe"}), "a.u": frozenset({"write", "describe"})}
    missing = missing_rights(operations, ["a.t", "a.u", "unseen"], ("write", "describe", "alter"))

    first, second = rights_findings(BROKER, missing, {"a.t": "t", "a.u": "u"})

    assert (first.severity, first.topic) == ("error", "t")
    assert "ALTER on topic a.t, WRITE on topic a.t" in first.text
    assert first.remedy == (
        "grant it: kafka-acls --bootstrap-server b1:9092 --command-config admin.properties --add "
        "--allow-principal User:srm --operation Alter --operation Write --topic a.t"
    )
    assert (second.severity, second.topic) == ("warning", "u")


def test_commands_quote_what_a_shell_would_take_apart() -> None:
    right = Right(kind="topic", name="a b", operation="describe_configs", pattern="prefixed")

    (command,) = grant_commands("x:1", "User:CN=ann, O=x", [right])

    assert "'User:CN=ann, O=x'" in command
    assert "--operation DescribeConfigs --topic 'a b' --resource-pattern-type prefixed" in command


def test_a_right_on_the_cluster_is_granted_there() -> None:
    (command,) = grant_commands("x:1", "User:ann", [Right(kind="cluster", name="", operation="alter")])

    assert command.endswith("--operation Alter --cluster")


def test_a_long_list_is_cut_and_counted() -> None:
    finding = PreflightFinding(severity="warning", code="x", text="t", remedy="r")

    shown = shortened([finding] * (SHOWN_PER_CODE + 7))

    assert len(shown) == SHOWN_PER_CODE + 1
    assert shown[-1].text.startswith("7 more")
