"""Seals every stored secret again: those of the tree and its versions, of drafts, clusters and other services."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from srm_service.clusters.secret_box import decrypt, encrypt
from srm_service.clusters.services import secrets_reseal
from srm_service.configuration.models import ConfigEdit, DraftChange, StoredProperty
from srm_service.configuration.versioning import locked_head
from srm_service.remote.services import credentials_reseal

_AT_ONCE = 200


def rotate_secrets() -> int:
    """Seal all secrets with the first key; returns their number. Raises SecretsUnreadableError and changes nothing."""
    with transaction.atomic():
        locked_head()
        properties = list(StoredProperty.objects.exclude(sealed=""))
        drafts = list(DraftChange.objects.exclude(sealed=""))
        for stored in properties:
            stored.sealed = _resealed(stored.sealed)
        for change in drafts:
            change.sealed = _resealed(change.sealed)
        StoredProperty.objects.bulk_update(properties, ["sealed"], batch_size=_AT_ONCE)
        DraftChange.objects.bulk_update(drafts, ["sealed"], batch_size=_AT_ONCE)
        return len(properties) + len(drafts) + _edits() + secrets_reseal() + credentials_reseal()


def _edits() -> int:
    changed = []
    for edit in ConfigEdit.objects.iterator(chunk_size=_AT_ONCE):
        if _is_sealed(edit.before) or _is_sealed(edit.after):
            edit.before, edit.after = _state(edit.before), _state(edit.after)
            changed.append(edit)
    ConfigEdit.objects.bulk_update(changed, ["before", "after"], batch_size=_AT_ONCE)
    return len(changed)


def _state(state: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if state is None else {**state, "sealed": _resealed(state["sealed"])}


def _is_sealed(state: Mapping[str, Any] | None) -> bool:
    return state is not None and bool(state["sealed"])


def _resealed(token: str) -> str:
    return encrypt(decrypt(token))
