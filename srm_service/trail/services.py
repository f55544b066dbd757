"""Writes the audit trail, and the same line into the log."""

import json
import re
from collections.abc import Mapping
from typing import Any

import structlog
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from srm_service.core.web.request_id import current_request_id
from srm_service.core.web.request_origin import current_origin
from srm_service.trail.contracts import ACTION_PATTERN, Actor, ActorKind, TrailOutcome, TrailSubject
from srm_service.trail.models import TrailEntry
from srm_service.trail.redaction import redacted, redacted_text

MOST_BYTES = 64 * 1024  # of `before` and of `after`
_ACTION = re.compile(ACTION_PATTERN)
_log = structlog.get_logger("audit")


def record(
    *,
    by: Actor | str,
    action: str,
    subject: TrailSubject,
    before: Any = None,
    after: Any = None,
    reason: str = "",
    request_id: str = "",
    address: str = "",
    outcome: TrailOutcome = "done",
) -> None:
    """Add an entry in the current transaction. Secrets in its values are replaced.

    A name as `by` stands for the user of the current request, whose address, token and id are added; outside of a
    request it is a part of the system.
    """
    if not _ACTION.fullmatch(action):
        raise ValueError(f"{action!r} is not the name of an action: use a noun and a verb, such as flow.pause")
    actor = by if isinstance(by, Actor) else actor_now(by)
    entry = TrailEntry(
        at=timezone.now(),
        **_origin(actor, request_id=request_id, address=address),
        action=action,
        subject_kind=subject.kind,
        subject=_cut(subject.name, "subject"),
        before=_stored(before),
        after=_stored(after),
        reason=_cut(redacted_text(reason), "reason"),
        outcome=outcome,
    )
    entry.save()
    what = {"subject": f"{subject.kind} {entry.subject}", "outcome": outcome, "entry": entry.pk}
    _log.info(action, by=entry.actor, reason=entry.reason, **what)  # the values are in the trail


def record_description(
    subject: TrailSubject, *, by: Actor | str, before: Mapping[str, Any], after: Mapping[str, Any], reason: str
) -> None:
    """Add an entry of the descriptive fields that differ, if there are any."""
    changed = [name for name in after if before.get(name) != after[name]]
    if changed:
        record(
            by=by,
            action=f"{subject.kind}.describe",
            subject=subject,
            before={name: before.get(name) for name in changed},
            after={name: after[name] for name in changed},
            reason=reason,
        )


def actor_now(name: str) -> Actor:
    """Return the actor of the current request under this name; a part of the system outside of a request."""
    request_id, origin = current_request_id(), current_origin()
    if not request_id:
        return Actor(name=name, kind="system")
    kind: ActorKind = "token" if origin.token else "user"
    return Actor(name=name, kind=kind, address=origin.address, request_id=request_id, token=origin.token)


def _origin(actor: Actor, *, request_id: str, address: str) -> dict[str, str]:
    return {
        "actor": _cut(actor.name, "actor"),
        "actor_kind": actor.kind,
        "token": actor.token,
        "address": _cut(address or actor.address, "address"),
        "request_id": _cut(request_id or actor.request_id, "request_id"),
    }


def _stored(value: Any) -> Any:
    """Return the value without secrets, as JSON has it; a note if it is too large."""
    text = json.dumps(redacted(value), cls=DjangoJSONEncoder)
    return {"omitted_bytes": len(text)} if len(text) > MOST_BYTES else json.loads(text)


def _cut(text: str, column: str) -> str:
    most: int = getattr(TrailEntry._meta.get_field(column), "max_length")  # noqa: B009 - relations have none
    return text[:most]
