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
_HEADINGS = ("Topic", "Cluster", "Partitions", "Replication factor", "Configs", "Written by", "Read by", "Purpose")


def render() -> str:
    """Return the whole page."""
    rows = [_HEADINGS, ("---",) * len(_HEADINGS), *map(_row, INTERNAL_TOPICS)]
    return _INTRODUCTION + "\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows)


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
