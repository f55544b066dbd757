"""Answers of the configuration as plain data."""

from dataclasses import asdict
from typing import Any

from replication.config.tree import EffectiveValue, KeyRow, TreeProperty
from srm_service.configuration.contracts import HIDDEN_VALUE, AppliedChange, DraftDto, PropertyDifference, VersionDto
from srm_service.flows.selectors import epoch_ms


def property_answer(prop: TreeProperty, effect: str, note: str) -> dict[str, Any]:
    return {
        "key": prop.place.key,
        **asdict(prop.place),
        "value": prop.value,
        "is_secret": prop.value == HIDDEN_VALUE,
        "comment": prop.comment,
        "origin": prop.origin,
        "effect": effect,
        "note": note,
    }


def difference_answer(difference: PropertyDifference) -> dict[str, Any]:
    fields = asdict(difference)
    fields.pop("place")
    return {"key": difference.place.key, **fields}


def applied_answer(applied: AppliedChange, *, dry_run: bool = False) -> dict[str, Any]:
    return {
        "version": applied.version,
        "changed": applied.is_new,
        "dry_run": dry_run,
        "differences": [difference_answer(each) for each in applied.differences],
        "clusters": list(applied.clusters),
        "flows": [{"source": source, "target": target} for source, target in applied.flows],
        "findings": [asdict(each) for each in applied.findings],
    }


def version_answer(version: VersionDto) -> dict[str, Any]:
    fields = asdict(version)
    at = fields.pop("at")
    return {**fields, "at_ms": epoch_ms(at)}


def draft_answer(draft: DraftDto) -> dict[str, Any]:
    return {
        "id": draft.id,
        "name": draft.name,
        "author": draft.author,
        "base_version": draft.base_version,
        "created_ms": epoch_ms(draft.created_at),
        "updated_ms": epoch_ms(draft.updated_at),
        "changes": [
            {"key": change.place.key, "value": change.value, "comment": change.comment} for change in draft.changes
        ],
    }


def key_answer(row: KeyRow) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(row).items()}


def effective_answer(value: EffectiveValue) -> dict[str, Any]:
    return asdict(value)
