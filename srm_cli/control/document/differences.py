"""Decides which changes turn the document of a system into another one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

SECTIONS = ("clusters", "flows", "properties", "lists")  # in the order in which they are applied
PRUNED = ("flows", "clusters", "properties", "lists")  # flows and clusters take their properties along
HIDDEN = "${secret:hidden}"  # the value of a secret in answers of the service
VERSION = 1
Kind = Literal["create", "change", "delete"]
Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemDifference:
    """One object that differs; `fields` holds the wanted values of the fields that differ."""

    section: str
    name: str
    kind: Kind
    before: Any
    after: Any

    @property
    def fields(self) -> dict[str, Any]:
        if not isinstance(self.before, dict) or not isinstance(self.after, dict):
            return {}
        return {name: value for name, value in self.after.items() if self.before.get(name) != value}

    def lines(self) -> Iterator[str]:
        """Yield the difference for people: one line per field."""
        where = f"{self.section} {self.name}"
        if self.kind == "create":
            yield f"+ {where}"
        elif self.kind == "delete":
            yield f"- {where}"
        elif not self.fields:
            yield f"~ {where}: {self.before!r} -> {self.after!r}"
        else:
            for name, value in self.fields.items():
                yield f"~ {where}.{name}: {self.before.get(name)!r} -> {value!r}"


def differences(current: Document, wanted: Document) -> list[SystemDifference]:
    """Return what `wanted` creates and changes, then what it does not contain.

    A section that `wanted` does not have is not compared. Fields that an object does not name are not compared.
    """
    named = [section for section in SECTIONS if section in wanted]
    changed = [each for section in named for each in _changed(section, current, wanted)]
    extra = [each for section in named for each in _extra(section, current, wanted)]
    return changed + extra


def _changed(section: str, current: Document, wanted: Document) -> Iterator[SystemDifference]:
    known = current.get(section) or {}
    for name, after in (wanted[section] or {}).items():
        before = known.get(name)
        if name not in known:
            yield SystemDifference(section=section, name=name, kind="create", before=None, after=after)
        elif not _covers(before, after):
            yield SystemDifference(section=section, name=name, kind="change", before=before, after=after)


def _extra(section: str, current: Document, wanted: Document) -> Iterator[SystemDifference]:
    for name, before in (current.get(section) or {}).items():
        if name not in (wanted[section] or {}):
            yield SystemDifference(section=section, name=name, kind="delete", before=before, after=None)


def _covers(before: Any, after: Any) -> bool:
    if isinstance(before, dict) and isinstance(after, dict):
        return all(before.get(name) == value for name, value in after.items())
    return bool(before == after)
