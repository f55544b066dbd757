"""Where a flow stands by all of its audits, read from the metrics store. Raises DatabaseError."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Case, F, Max, Q, TextField, Value, When

from replication.domain.identifiers import FlowId
from replication.domain.naming import HEARTBEATS_TOPIC
from srm_service.monitoring.audits import FINDING_KINDS, HARMLESS, Verdict
from srm_service.monitoring.live_state import LiveSnapshot
from srm_service.monitoring.models import AuditRun
from srm_service.monitoring.topic_verdicts import WORST_FIRST, TopicResult, TopicVerdict, topic_verdict, worst_verdict
from srm_service.monitoring.topics import topic_names

LIMIT_REASON = "above the limit of this audit"  # what the audit says of offsets beyond `max_offsets`

_DIFFERS = reduce(or_, (Q(**{f"{kind}__gt": 0}) for kind in FINDING_KINDS if kind not in HARMLESS))
_NOT_WHOLE = (
    Q(mode="sample")
    | Q(ranges=0, proven_until_ms__isnull=True)
    | Q(not_compared__contains='"open": true')
    | Q(not_compared__contains=LIMIT_REASON)
)
_RESULT_KIND = Case(
    When(_DIFFERS & (Q(mode="sample") | Q(mode="full", compared="counts")), then=Value("found_aside")),
    When(_DIFFERS, then=Value("found")),
    When(_NOT_WHOLE, then=Value("")),
    default=F("mode"),
    output_field=TextField(),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditStanding:
    """`topics` are those the flow copies, the worst first, then by name."""

    topics: tuple[TopicVerdict, ...]

    @property
    def verdict(self) -> Verdict:
        """That of the worst topic, so `equal` means all of them."""
        return worst_verdict(self.topics)

    @property
    def counts(self) -> dict[Verdict, int]:
        """Topics by verdict."""
        return {verdict: sum(topic.verdict == verdict for topic in self.topics) for verdict in WORST_FIRST}


def audit_state(flow: FlowId, live: LiveSnapshot) -> AuditStanding:
    """Three queries, whatever the number of audits and topics."""
    results = _results(flow)
    names = copied_topics(flow, live) or list(results)
    topics = (topic_verdict(name, results.get(name, ())) for name in names)
    return AuditStanding(
        topics=tuple(sorted(topics, key=lambda topic: (WORST_FIRST.index(topic.verdict), topic.topic)))
    )


def copied_topics(flow: FlowId, live: LiveSnapshot) -> list[str]:
    """As planned, else all that were ever known; sorted, without heartbeats."""
    # What was measured once may be deleted or deselected since: where a plan is known, it says what is copied.
    planned = live.plans.get(flow, {}).get("topics")
    if isinstance(planned, list) and planned:
        names = sorted({str(each["upstream"]) for each in planned if isinstance(each, dict) and each.get("upstream")})
    else:
        names, _ = topic_names(flow, live)
    return [name for name in names if name.rpartition(".")[2] != HEARTBEATS_TOPIC]


def flows_with_differences() -> list[FlowId]:
    """Those in which some audit found a difference, whether or not a later one took it back. One query."""
    found = AuditRun.objects.filter(_DIFFERS, state="done").values_list("source", "target").distinct()
    return [FlowId(source, target) for source, target in found.order_by("source", "target")]


def _results(flow: FlowId) -> Mapping[str, list[TopicResult]]:
    """The newest result of each kind by topic. An audit that was cancelled counts for the topics it had ended."""
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
