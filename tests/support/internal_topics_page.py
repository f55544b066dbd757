"""Renders docs/internal-topics.md from the registry; `python -m tests.support.internal_topics_page` writes it."""

from collections.abc import Iterable
from pathlib import Path

from replication.domain.names.internal_topic import InternalTopic
from replication.domain.names.internal_topics import INTERNAL_TOPICS
from replication.domain.settings.setting import Setting

PAGE = Path(__file__).resolve().parents[2] / "docs" / "internal-topics.md"
_INTRODUCTION = """# Internal topics

The topics in which a flow keeps its own state. The planner creates those that are missing. It lowers a replication
factor to the number of brokers. The formats of the records are in [contracts](contracts/README.md).

This page is made from `replication/domain/names/internal_topics.py`:
`python -m tests.support.internal_topics_page` writes it.
"""
_CHECKS = """
## Checks

The planner compares the topics with this table at the start of the flow and at every refresh of the topics
(`refresh.topics.interval.seconds`). `srm preflight` and change plans contain the same findings. A finding names the
topic, the expected and the found value, and the command that corrects it.

- A topic that *blocks* stops the planning of the flow: it does not start. A flow that is running continues to copy, and
  is `failed` until the topic is correct.
- A topic that *degrades* makes the flow `degraded` until the topic is correct.
- A topic whose replication factor is lower than its `min.insync.replicas` has the same effect as a wrong cleanup
  policy: the brokers refuse every write to it.

"""
_LOSSES = """
## Loss of a topic

A topic that was deleted is created again at the next refresh of the topics, or at the next start of the flow. Records
are neither lost nor copied twice. `tests/integration/connectors/test_lost_internal_topics.py` has a test of each topic
of drivers, `tests/component/service/test_lists.py` one of the control topic.

"""
_LOSS_HEADINGS = ("Topic", "Lost", "While the flow runs", "While it is stopped")
_CHECK_HEADINGS = ("Topic", "Cleanup policy", "Partitions", "A wrong topic", "Because with another cleanup policy")
_HEADINGS = ("Topic", "Cluster", "Partitions", "Replication factor", "Configs", "Written by", "Read by", "Purpose")


def render() -> str:
    """Return the whole page."""
    return (
        _INTRODUCTION
        + "\n"
        + _table(_HEADINGS, map(_row, INTERNAL_TOPICS))
        + _CHECKS
        + _table(_CHECK_HEADINGS, map(_check_row, INTERNAL_TOPICS))
        + _LOSSES
        + _table(_LOSS_HEADINGS, map(_loss_row, INTERNAL_TOPICS))
    )


def _table(headings: tuple[str, ...], rows: Iterable[Iterable[str]]) -> str:
    lines = (headings, ("---",) * len(headings), *rows)
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _loss_row(topic: InternalTopic) -> Iterable[str]:
    yield _name(topic)
    yield topic.lost
    yield topic.loss_while_running
    yield topic.loss_while_stopped


def _check_row(topic: InternalTopic) -> Iterable[str]:
    yield _name(topic)
    yield f"`{topic.cleanup_policy}`"
    yield "1" if topic.risk_of_partitions else "any"
    yield topic.fault
    yield topic.risk[:1].upper() + topic.risk[1:] + "."


def _row(topic: InternalTopic) -> Iterable[str]:
    yield _name(topic)
    yield topic.cluster
    yield str(topic.partitions) + _setting(topic.partitions_setting)
    yield "by its creator" if topic.factor_setting is None else f"`{topic.factor_setting}`"
    yield ", ".join(f"`{key}={value}`" for key, value in topic.configs.items()) or "the cluster's"
    yield topic.written_by
    yield topic.read_by
    yield topic.purpose + ("" if topic.is_required else " The flow runs without it.")


def _name(topic: InternalTopic) -> str:
    alias = f"<{topic.alias}>" if topic.alias in ("source", "target") else "<other>"
    return f"`{topic.name(alias, '.')}`{_setting(topic.name_setting)}"


def _setting(setting: Setting[object] | None) -> str:
    return "" if setting is None else f" (`{setting}`)"


if __name__ == "__main__":
    PAGE.write_text(render())
