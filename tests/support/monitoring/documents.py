"""The alert rules and the dashboard of `docs/monitoring`."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "monitoring"
PANELS = frozenset({"row", "stat", "timeseries"})
GRID_WIDTH = 24
_LABEL_VALUES = re.compile(r"label_values\((?P<series>.+), (?P<label>\w+)\)")


def alert_rules() -> list[dict[str, Any]]:
    """Return the rules of all groups."""
    document = yaml.safe_load((FOLDER / "alerts.yml").read_text())
    assert set(document) == {"groups"}
    for group in document["groups"]:
        assert set(group) == {"name", "rules"}, group["name"]
    return [rule for group in document["groups"] for rule in group["rules"]]


def template_labels(texts: Mapping[str, str]) -> set[str]:
    """Return the labels that templates of annotations show. A template of another kind is an error."""
    templates = [found for text in texts.values() for found in re.findall(r"{{(.*?)}}", text)]
    labels = [re.fullmatch(r" \$(?:labels\.(?P<label>\w+)|value) ", template) for template in templates]
    assert all(labels), templates
    return {found["label"] for found in labels if found is not None and found["label"]}


def is_duration(text: str) -> bool:
    """Return True for a time as Prometheus writes it."""
    return re.fullmatch(r"\d+[smhd]", text) is not None


def dashboard() -> Mapping[str, Any]:
    """Return the dashboard."""
    found: Mapping[str, Any] = json.loads((FOLDER / "dashboard.json").read_text())
    return found


def panel_expressions(board: Mapping[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """Yield each expression and the labels that its legend shows."""
    for panel in board["panels"]:
        for target in panel.get("targets", ()):
            yield target["expr"], set(re.findall(r"{{(\w+)}}", target["legendFormat"]))


def variable_expressions(board: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the name of a variable, the series that it reads, and the label."""
    for variable in board["templating"]["list"]:
        if variable["type"] == "query":
            found = _LABEL_VALUES.fullmatch(variable["query"]["query"])
            assert found is not None, variable["name"]
            yield variable["name"], found["series"], found["label"]
