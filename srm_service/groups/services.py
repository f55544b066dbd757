"""Group offset sync at once, because a person asks for it. Each call waits for the target's control worker."""

from collections.abc import Sequence
from dataclasses import asdict, fields

from replication.domain.identifiers import FlowId
from replication.domain.questions.groups import SyncReceipts
from replication.domain.questions.question import DEFAULT_WAIT_MS, MOST_NAMES
from srm_service.groups.contracts import ReceiptCounts, SyncReceiptsNow
from srm_service.planning.selectors import NotAnsweredError, asked_of, flow_question
from srm_service.trail.contracts import TrailOutcome, flow_subject
from srm_service.trail.services import record


def groups_sync(
    flow: FlowId,
    *,
    groups: Sequence[str],
    dry_run: bool,
    reason: str,
    by: str,
    limit: int = MOST_NAMES,
    wait_ms: int = DEFAULT_WAIT_MS,
) -> SyncReceiptsNow:
    """Write the committed offsets of groups (all without names) to the target; a dry run only says what it would do.

    Raises NotAnsweredError; then a part of the offsets may have been written.
    """
    options = {"groups": tuple(groups), "dry_run": dry_run, "most_names": limit, "wait_ms": wait_ms}
    try:
        found = asked_of(SyncReceipts, flow_question("sync_groups", flow, **options), flow)
    except NotAnsweredError as error:
        if not dry_run:
            _record(flow, groups, {"problem": str(error)}, reason=reason, by=by, outcome="failed")
        raise
    counts = ReceiptCounts(**{each.name: found.counts.get(each.name, 0) for each in fields(ReceiptCounts)})
    if not dry_run:
        is_refused = (counts.refused or counts.impossible) and not (counts.written or counts.unchanged)
        outcome: TrailOutcome = "refused" if is_refused else "done"
        _record(flow, groups, asdict(counts), reason=reason, by=by, outcome=outcome)
    return SyncReceiptsNow(
        source=flow.source,
        target=flow.target,
        dry_run=dry_run,
        counts=counts,
        items=found.items[:limit],
        skipped=found.skipped,
        unlooked=found.unlooked,
    )


def _record(
    flow: FlowId, groups: Sequence[str], effect: dict[str, object], *, reason: str, by: str, outcome: TrailOutcome
) -> None:
    """Add the entry of the trail; no groups are all groups."""
    after = {"groups": list(groups) or "all", **effect}
    subject = flow_subject(flow.source, flow.target)
    record(by=by, action="groups.sync", subject=subject, after=after, reason=reason, outcome=outcome)
