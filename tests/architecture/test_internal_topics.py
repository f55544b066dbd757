"""Internal topics are declared once, in `replication/domain/names/internal_topics.py`."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from replication.connectors.plan.source_settings import SourceSettings
from replication.connectors.topics.internal_topics import new_topic
from replication.domain.names.internal_topic import InternalTopic
from replication.domain.names.internal_topics import (
    CHECKPOINTS,
    HEARTBEATS_TOPIC,
    INTERNAL_TOPICS,
    OFFSET_SYNCS,
    POSITIONS,
    RAW_METRICS,
)
from tests.architecture.test_boundaries import PACKAGES, ROOT, tracked
from tests.support.internal_topics_page import PAGE, render

REGISTRY = {
    "replication/domain/names/internal_topics.py",
    "replication/domain/names/internal_topic_filter.py",  # the rules that tell internal topics from others
}
NAMES = re.compile(
    r"(?:^|\W)srm-[a-z-]+\.(?:$|\S*internal)|mm2-(?:offsets|configs|status|offset-syncs)"
    r"|checkpoints\W+internal|[.\\]internal$"
)
# the word also names a group of settings and a field of a flow's document
OTHER_HEARTBEATS = (
    "replication/config/",
    "replication/domain/desired/",
    "replication/domain/settings/",
    "srm_service/configuration/",
    "srm_cli/control/document/",
    "srm_service/flows/",
)
CREATED = [topic for topic in INTERNAL_TOPICS if topic.factor_setting]


def texts(path: Path) -> Iterator[str]:
    """The string constants of a file, parts of f-strings among them, without docstrings."""
    tree = ast.parse(path.read_text())
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def names_a_topic(text: str, relative: str) -> bool:
    is_heartbeats = text == HEARTBEATS_TOPIC and not relative.startswith(OTHER_HEARTBEATS)
    return is_heartbeats or NAMES.search(text) is not None


def test_no_internal_topic_is_named_outside_the_registry() -> None:
    offenders = [
        f"{relative}: {text!r}"
        for path in tracked(*(f"{package}/**.py" for package in PACKAGES))
        if (relative := str(path.relative_to(ROOT))) not in REGISTRY
        for text in texts(path)
        if names_a_topic(text, relative)
    ]
    assert not offenders


@pytest.mark.parametrize("topic", INTERNAL_TOPICS, ids=lambda topic: topic.template)
def test_the_guard_recognises_every_internal_topic(topic: InternalTopic) -> None:
    spelled = topic.template.format(alias="east", separator=".")

    assert names_a_topic(spelled, "replication/worker/any.py")


def test_the_guard_recognises_a_name_put_together_in_an_f_string(tmp_path: Path) -> None:
    source = tmp_path / "some.py"
    source.write_text('"""Writes srm-gaps.east.internal."""\nname = f"srm-gaps.{source}.internal"\n')

    assert [text for text in texts(source) if names_a_topic(text, "some.py")] == ["srm-gaps.", ".internal"]


def test_every_name_is_declared_once() -> None:
    names = [topic.name("east") for topic in INTERNAL_TOPICS]

    assert len(set(names)) == len(names)


@pytest.mark.parametrize("topic", CREATED, ids=lambda topic: topic.template)
def test_a_topic_is_created_as_declared_where_no_setting_says_otherwise(topic: InternalTopic) -> None:
    made = new_topic(topic, SourceSettings.of({}), 3, alias="east")

    assert (made.name, made.partitions, made.replication_factor) == (topic.name("east"), topic.partitions, 3)
    assert made.configs == topic.configs


@pytest.mark.parametrize("topic", CREATED, ids=lambda topic: topic.template)
def test_the_settings_that_a_topic_names_change_it(topic: InternalTopic) -> None:
    numbers = {str(topic.factor_setting): "2"} | (
        {topic.partitions_setting.key: "7"} if topic.partitions_setting else {}
    )

    made = new_topic(topic, SourceSettings.of(numbers), 3, alias="east")

    assert made.replication_factor == 2
    assert made.partitions == (7 if topic.partitions_setting else topic.partitions)


def test_a_pattern_finds_the_alias_in_a_name() -> None:
    topics = ["mm2-offsets.a.b.internal", "mm2-offsets.internal", "mm2-offsets-x-internal", "orders"]

    assert POSITIONS.aliases(topics) == {"a.b"}
    syncs = ["mm2-offset-syncs__west__internal", "mm2-offset-syncs.east.internal"]
    assert OFFSET_SYNCS.aliases(syncs, "__") == {"west"}
    assert CHECKPOINTS.aliases(["east.checkpoints.internal"]) == {"east"}
    assert re.fullmatch(RAW_METRICS.pattern(), "srm-metrics.east.internal")


def test_the_page_about_internal_topics_is_current() -> None:
    assert PAGE.read_text() == render(), "run python -m tests.support.internal_topics_page"
