"""Writes the clusters and flows that changes would lead to, lets the caller read them, and rolls all of it back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db import transaction

from replication.config import FlowDefinition
from replication.config.flows.model import Effective, Level
from replication.config.security.secrets import is_secret_name
from srm_service.configuration.cells import with_changes
from srm_service.configuration.contracts import HIDDEN_VALUE, AppliedChange, PropertyChange
from srm_service.configuration.derivation import Derived
from srm_service.configuration.projection import project
from srm_service.configuration.selectors import stored_cells
from srm_service.configuration.versioning import (
    check_expected,
    derived_from,
    locked_head,
    next_version,
    preview_version,
)

Found = TypeVar("Found")
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownValue:
    """The effective value of a setting and its level; secrets and values from files and variables are hidden."""

    value: str
    level: Level


FlowValues = Mapping[Pair, Mapping[str, ShownValue]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal(Generic[Found]):
    """The effect of the changes; `applied.version` is the version in force."""

    applied: AppliedChange
    before: Found
    after: Found
    values_before: FlowValues
    values_after: FlowValues


def rehearse(
    changes: Sequence[PropertyChange], read: Callable[[], Found], *, expected_version: int | None = None
) -> Rehearsal[Found]:
    """Call `read` before and after the changes; nothing of them is kept.

    Raises VersionConflictError, InvalidChangeError as `apply_changes` does.
    """
    with transaction.atomic():
        head = locked_head()
        check_expected(head, expected_version)
        stored = stored_cells()
        step = next_version(head, stored, with_changes(stored, changes), dialect=head.dialect)
        rehearsal = Rehearsal(
            applied=preview_version(head, stored, step),
            before=read(),
            after=_read_with(step.derived, read),
            values_before=_values(derived_from(stored, head.dialect).flows),
            values_after=_values(step.derived.flows),
        )
        transaction.set_rollback(True)
    return rehearsal


def _read_with(derived: Derived, read: Callable[[], Found]) -> Found:
    project(derived)
    return read()


def _values(flows: Sequence[FlowDefinition]) -> FlowValues:
    return {(flow.source, flow.target): {name: _shown(each) for name, each in flow.effective.items()} for flow in flows}


def _shown(effective: Effective) -> ShownValue:
    is_hidden = is_secret_name(effective.name) or (effective.origin is not None and effective.origin.is_external)
    return ShownValue(value=HIDDEN_VALUE if is_hidden else effective.value, level=effective.level)
