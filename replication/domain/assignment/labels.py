"""Labels of drivers, such as `region=eu`, and the choice of drivers by them."""

import re
from collections.abc import Mapping

_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,62}")


def parse_labels(text: str) -> dict[str, str]:
    """Return the labels of a list such as `region=eu,rack=a`. ValueError names the label that is invalid."""
    labels: dict[str, str] = {}
    for item in (part.strip() for part in text.split(",")):
        if not item:
            continue
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not _LABEL.fullmatch(name) or not _LABEL.fullmatch(value):
            raise ValueError(
                f"{item!r} is not a label: write name=value, each of up to 63 letters, digits, '.', '_', '/' or '-'"
            )
        if labels.setdefault(name, value) != value:
            raise ValueError(f"label {name!r} has two values: {labels[name]!r} and {value!r}")
    return labels


def labels_text(labels: Mapping[str, str]) -> str:
    """Return labels as they are written in a setting."""
    return ",".join(f"{name}={value}" for name, value in sorted(labels.items()))


def has_labels(labels: Mapping[str, str], asked: Mapping[str, str]) -> bool:
    """Return True when every label that is asked for is there."""
    return all(labels.get(name) == value for name, value in asked.items())
