"""The combined result of a flow's audits, read from the metrics store. Raises DatabaseError."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Case, F, Max, Q, TextField, Value, When

from replication.domain.identifiers import FlowId
from replication.domain.names.internal_topics import HEARTBEATS_TOPIC
from replication.domain.reporting.audit_words import FINDING_KINDS, HARMLESS
from srm_service.audits.selectors import AuditOutcome
from srm_service.audits.topic_results import WORST_FIRST, CombinedResult, TopicResult, combined_result, worst_result
from srm_service.monitoring.flows.live_state import LiveSnapshot
from srm_service.monitoring.flows.topics import topic_names
from srm_service.monitoring.models import AuditRun

LIMIT_REASON = "above the limit of this audit"  # the audit's reason for offsets beyond `max_offsets`

_DIFFERS = reduce(or_, (Q(**{f"{kind}__gt": 0}) for kind in FINDING_KINDS if kind not in HARMLESS))
_NOT_WHOLE = (
    Q(mode="sample")
    | Q(ranges=0, proven_until_ms__isnull=True)
    | Q(not_compared__contains='"open": true')
    | Q(not_compared__contains=LIMIT_REASON)
)
_RESULT_KIND = Case(
    When(_DIFFERS & (Q(mode="sample") | Q(mode="full", compared="counts")), then=Value("found_unproven")),
    When(_DIFFERS, then=Value("found")),
    When(_NOT_WHOLE, then=Value("")),
    default=F("mode"),
    output_field=TextField(),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditStanding:
    """The results of the flow's topics, the worst first, then by name."""

    topics: tuple[CombinedResult, ...]

    @property
    def verdict(self) -> AuditOutcome:
        """The verdict of the worst topic, so that `equal` means all topics."""
        return worst_result(self.topics)

    @property
    def counts(self) -> dict[AuditOutcome, int]:
        """Topics by verdict."""
        return {verdict: sum(topic.verdict == verdict for topic in self.topics) for verdict in WORST_FIRST}


def audit_state(flow: FlowId, live: LiveSnapshot) -> AuditStanding:
    """Read the audit state with three queries, independent of the numbers of audits and topics."""
    results = _results(flow)
    names = copied_topics(flow, live) or list(results)
    topics = (combined_result(name, results.get(name, ())) for name in names)
    return AuditStanding(
        topics=tuple(sorted(topics, key=lambda topic: (WORST_FIRST.index(topic.verdict), topic.topic)))
    )


def copied_topics(flow: FlowId, live: LiveSnapshot) -> list[str]:
    """The planned topics, or without a plan all known ones; sorted, without heartbeats."""
    # A measured topic may since have been deleted or deselected, so the plan takes precedence.
    planned = live.plans.get(flow, {}).get("topics")
    if isinstance(planned, list) and planned:
        names = sorted({str(each["upstream"]) for each in planned if isinstance(each, dict) and each.get("upstream")})
    else:
        names, _ = topic_names(flow, live)
    return [name for name in names if name.rpartition(".")[2] != HEARTBEATS_TOPIC]


def flows_with_differences() -> list[FlowId]:
    """Flows in which any audit found a difference, also one that a later audit cleared. One query."""
    found = AuditRun.objects.filter(_DIFFERS, state="done").values_list("source", "target").distinct()
    return [FlowId(source, target) for source, target in found.order_by("source", "target")]


def _results(flow: FlowId) -> Mapping[str, list[TopicResult]]:
    """The newest result of each kind by topic. A cancelled audit counts for the topics it had completed."""
    ended = AuditRun.objects.filter(source=flow.source, target=flow.target, state="done")
    newest = ended.annotate(result=_RESULT_KIND).values_list("topic", "result").annotate(last=Max("job_id"))
    kinds = {(topic, last): kind for topic, kind, last in newest.order_by() if kind}
    columns = ("topic", "job_id", "started_ms", "ended_ms", "compared", *FINDING_KINDS)
    found: defaultdict[str, list[TopicResult]] = defaultdict(list)
    for row in ended.filter(job_id__in={audit_id for _, audit_id in kinds}).values(*columns):
        kind = kinds.get((row["topic"], row["job_id"]))
        if kind is not None:
            found[row["topic"]].append(
                TopicResult(
                    kind=kind,
                    audit_id=row["job_id"],
                    at_ms=row["started_ms"] if row["ended_ms"] is None else row["ended_ms"],
                    compared=row["compared"],
                    findings={name: row[name] for name in FINDING_KINDS},
                )
            )
    return dict(sorted(found.items()))
