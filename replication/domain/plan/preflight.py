"""Findings that block a flow before its first record, in words for the person who can fix them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from replication.domain.plan.plan_document import PlanWarning, plan_warning
from replication.domain.plan.rights import Right, grant_commands
from replication.domain.plan.topic_config import ConfigValue
from replication.domain.plan.topic_plan import WantedTopic
from replication.domain.sentences import sentence

FindingSeverity = Literal["error", "warning", "note"]
GROUP_RIGHTS_MISSING = "group_rights_missing"
SHOWN_PER_CODE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PreflightFinding:
    """An error holds back what it names (`topic`, or the whole flow where that is None); a warning does not."""

    severity: FindingSeverity
    code: str
    text: str
    remedy: str
    topic: str | None = None  # upstream
    cluster: str | None = None  # on which to act; None: it is about the flow or its settings

    def __str__(self) -> str:
        return f"{self.text}; {self.remedy}"

    def as_told(self) -> "PreflightFinding":
        """Return the finding with its clauses as sentences, for people."""
        return replace(self, text=sentence(self.text, self.topic), remedy=sentence(self.remedy))


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPair:
    """An upstream topic and the remote topic that was there before; configs by name."""

    topic: WantedTopic
    remote_partitions: int
    upstream: Mapping[str, ConfigValue]
    remote: Mapping[str, ConfigValue]
    syncs_configs: bool = True


def topic_findings(pair: TopicPair, target: str) -> tuple[PreflightFinding, ...]:
    """Return the findings about one pair of topics; `target` is the cluster of the remote topic."""
    found = (check(pair) for check in (_width, _cleanup, _timestamps))
    return tuple(replace(finding, cluster=target) for finding in found if finding is not None)


def _width(pair: TopicPair) -> PreflightFinding | None:
    topic = pair.topic
    if pair.remote_partitions <= topic.partitions:
        return None
    return PreflightFinding(
        severity="warning",
        code="remote_topic_wider",
        text=f"{topic.remote} has {pair.remote_partitions} partitions, {topic.upstream} has {topic.partitions}",
        remedy="the others stay empty; whoever computes partitions from keys must count as the source does",
        topic=topic.upstream,
    )


def _cleanup(pair: TopicPair) -> PreflightFinding | None:
    upstream, remote = policies_of(pair.upstream), policies_of(pair.remote)
    is_known = bool(upstream and remote)
    will_follow = pair.syncs_configs and _is_chosen(pair.upstream.get("cleanup.policy"))
    if not is_known or upstream == remote or will_follow:
        return None
    loses = "compact" in remote and "compact" not in upstream
    policies = (
        f"cleanup.policy is {_text(remote)} on {pair.topic.remote} and {_text(upstream)} on {pair.topic.upstream}"
    )
    command = f"set cleanup.policy={_text(upstream)} on {pair.topic.remote}"
    if loses:
        return PreflightFinding(
            severity="error",
            code="remote_topic_compacted",
            text=f"{policies}: compaction would drop copied records, and records without a key are refused",
            remedy=f"{command}, or delete the topic and let the flow create it",
            topic=pair.topic.upstream,
        )
    return PreflightFinding(
        severity="warning",
        code="cleanup_policy_differs",
        text=f"{policies}: old records go away by another rule",
        remedy=command,
        topic=pair.topic.upstream,
    )


def _timestamps(pair: TopicPair) -> PreflightFinding | None:
    upstream, remote = _value(pair.upstream, "message.timestamp.type"), _value(pair.remote, "message.timestamp.type")
    if remote != "LogAppendTime" or upstream == "LogAppendTime":
        return None
    return PreflightFinding(
        severity="warning",
        code="remote_timestamps_replaced",
        text=f"{pair.topic.remote} has message.timestamp.type=LogAppendTime: copies get the time of their arrival",
        remedy=f"set message.timestamp.type=CreateTime on {pair.topic.remote} to keep the times of the records",
        topic=pair.topic.upstream,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """The principal that connects to a cluster; for the commands that grant rights."""

    cluster: str
    servers: str
    principal: str


def rights_findings(
    client: Client, missing: Iterable[Right], upstream_of: Mapping[str, str], *, for_groups: bool = False
) -> tuple[PreflightFinding, ...]:
    """One finding per resource; the remedy is the command that grants what is missing there.

    `upstream_of` names the upstream topic of each resource that is a topic being copied or its copy. What is needed
    `for_groups` only never holds back records.
    """
    by_name: dict[tuple[str, str], list[Right]] = {}
    for right in sorted(set(missing)):
        by_name.setdefault((right.kind, right.name), []).append(right)
    return tuple(
        PreflightFinding(
            severity="error" if not for_groups and any(right.is_essential for right in rights) else "warning",
            code=GROUP_RIGHTS_MISSING if for_groups else "rights_missing",
            text=f"cluster {client.cluster}: {client.principal} lacks {', '.join(map(str, rights))}",
            remedy="grant it: " + " && ".join(grant_commands(client.servers, client.principal, rights)),
            topic=upstream_of.get(name),
            cluster=client.cluster,
        )
        for (_, name), rights in by_name.items()
    )


def warning_of(finding: PreflightFinding) -> PlanWarning:
    """Return the finding as a warning of the plan of a flow that runs."""
    return plan_warning(finding.code, str(finding), cluster=finding.cluster, topic=finding.topic)


def shortened(findings: Iterable[PreflightFinding]) -> tuple[PreflightFinding, ...]:
    """At most twenty per code, and one that counts the rest: a plan must stay readable with 10,000 topics."""
    by_code: dict[str, list[PreflightFinding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    shown: list[PreflightFinding] = []
    for group in by_code.values():
        shown += group[:SHOWN_PER_CODE]
        rest = len(group) - SHOWN_PER_CODE
        if rest > 0:
            shown.append(replace(group[0], text=f"{rest} more alike", topic=None, cluster=None))
    return tuple(shown)


def _is_chosen(config: ConfigValue | None) -> bool:
    return config is not None and config.source not in ("default", "static_broker", "unknown")


def _value(configs: Mapping[str, ConfigValue], name: str) -> str:
    config = configs.get(name)
    return (config.value if config is not None else None) or ""


def policies_of(configs: Mapping[str, ConfigValue]) -> frozenset[str]:
    """Return the cleanup policies of a topic; none if its configs are unknown."""
    return frozenset(part.strip() for part in _value(configs, "cleanup.policy").split(",") if part.strip())


def _text(policies: frozenset[str]) -> str:
    return ",".join(sorted(policies))
