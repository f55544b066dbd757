"""Publishes desired documents to Redis: after each change, and every few seconds from the maintenance worker.

Revisions never go back, not even when the database is restored from a backup: the one in Redis counts as well.
"""

from collections.abc import Iterable
from dataclasses import replace

import redis
import structlog
from django.conf import settings
from django.db import transaction

from replication.config.security.signed_document import is_signed, signed
from replication.domain.desired.desired_document import (
    DesiredDocument,
    DesiredDocumentError,
    desired_from_json,
    desired_to_json,
)
from replication.domain.errors import ReplicationError
from replication.domain.json_documents import read_json
from srm_service.core.clock import now_ms
from srm_service.flows.actions import actions_published, actions_unpublished
from srm_service.flows.documents.desired import desired_document
from srm_service.flows.models import DesiredRevision, Flow
from srm_service.wiring import REDIS_PREFIX, redis_client

_log = structlog.get_logger(__name__)


def publish_all() -> int:
    """Publish missing and changed documents of all targets; returns the number of written ones.

    Raises redis.RedisError when Redis cannot be reached.
    """
    targets = set(Flow.objects.values_list("target__alias", flat=True))
    targets |= set(DesiredRevision.objects.values_list("target", flat=True))  # the last flow may be gone
    written = sum(publish(target) for target in sorted(targets))
    redis_client().set(f"{REDIS_PREFIX}service:seen", now_ms())
    return written


def publish(target: str) -> bool:
    """Write the document of one target unless Redis already holds the same content."""
    client = redis_client()
    key = f"{REDIS_PREFIX}desired:{target}"
    stored = client.get(key)
    present = _revision_in(stored)
    is_genuine = stored is not None and is_signed(settings.SRM_TRANSPORT_KEYS, _as_bytes(stored))
    with transaction.atomic():
        row, _ = DesiredRevision.objects.select_for_update().get_or_create(target=target)
        at_ms, waiting = now_ms(), actions_unpublished(target)
        published = _document_in(stored) if is_genuine else None
        document, fingerprint = desired_document(target, published_ms=at_ms, published=published)
        if row.fingerprint == fingerprint and present == row.revision and is_genuine:
            actions_published(waiting, row.revision)
            return False
        if row.fingerprint != fingerprint or (present or 0) > row.revision:
            row.revision = max(row.revision, present or 0) + 1
        row.fingerprint, row.published_ms = fingerprint, at_ms
        row.save()
        actions_published(waiting, row.revision)
    client.set(key, signed(settings.SRM_TRANSPORT_KEYS, desired_to_json(replace(document, revision=row.revision))))
    client.publish(f"{REDIS_PREFIX}nudge", f"{target} {row.revision}")
    _log.info("desired state published", target=target, revision=row.revision, flows=len(document.flows))
    return True


def publish_quietly(targets: Iterable[str] | None = None) -> bool:
    """Publish after a change; without Redis, the maintenance worker publishes the stored change later."""
    try:
        if targets is None:
            publish_all()
        else:
            for target in targets:
                publish(target)
    except redis.RedisError as error:
        _log.warning("desired state not published, redis does not answer, will be retried", error=str(error))
        return False
    except ReplicationError as error:
        _log.error("desired state cannot be published", error=error.text)
        return False
    return True


def _as_bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _document_in(text: str | bytes | None) -> DesiredDocument | None:
    try:
        return None if text is None else desired_from_json(text)[0]
    except DesiredDocumentError:
        return None


def _revision_in(text: str | bytes | None) -> int | None:
    if text is None:
        return None
    try:
        revision = read_json(text)["revision"]
    except (ValueError, KeyError, TypeError):
        return None
    return revision if isinstance(revision, int) else None
