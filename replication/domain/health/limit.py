"""The limit of a flow's speed, in words a person can act on, from a slot's measures over some seconds."""

from dataclasses import dataclass

from replication.domain.settings.registry.flow import TASKS_MAX

BUSY_CPU_RATIO = 0.85
NOTABLE_SHARE = 0.2
SLOW_ROUND_TRIP_MS = 50
TARGET_ACKS = "target_acks"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotMeasures:
    """Shares of the time, 0 to 1; the shares but `loop_busy` are of moments in which something was left to copy."""

    lagging: float  # of all moments: something was left to copy, and nothing but speed kept it from being copied
    blocked: float = 0.0  # of all moments: all that was left to copy was held, stalled or stopped
    loop_busy: float = 0.0  # CPU time of the data worker's network loop
    throttled: float = 0.0  # throttles held the next fetches back, of the flow or of all topics that lag
    quota: float = 0.0  # a broker's quota did
    memory_full: float = 0.0  # there was no memory for the next fetch
    target_full: float = 0.0  # what was fetched waited for answers of the target before it could be sent
    source_round_trip_ms: float | None = None
    target_round_trip_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Limit:
    """`code` for programs, `text` for people."""

    code: str
    text: str


def limit_of(measures: SlotMeasures) -> Limit:
    """The first that holds, from what a person decided to what physics decides."""
    if measures.blocked >= NOTABLE_SHARE:
        return Limit("blocked", "partitions that are held, stalled or stopped, not speed; see their causes")
    if measures.lagging < NOTABLE_SHARE:
        return Limit("caught_up", "nothing: everything the source has is copied immediately")
    if measures.throttled >= NOTABLE_SHARE:
        return Limit("throttle", "a throttle: of the flow, or of the topics that lag")
    if measures.quota >= NOTABLE_SHARE:
        return Limit("quota", "a client quota of a broker; raise it for the user or client id of this flow")
    if measures.loop_busy >= BUSY_CPU_RATIO:
        busy = round(measures.loop_busy * 100)
        return Limit("cpu", f"CPU: the data worker's loop is {busy} % busy; add data workers and raise {TASKS_MAX}")
    if measures.target_full >= 0.5:
        far = _far("the target", measures.target_round_trip_ms, "run the driver nearer to it or let batches grow")
        return Limit(TARGET_ACKS, f"acknowledgements of the target brokers{far}")
    if measures.memory_full >= NOTABLE_SHARE:
        return Limit(
            "memory",
            "memory of the data worker: what other flows and partitions fetched waits for their targets; "
            "see which of them are slow or stalled, or add data workers",
        )
    far = _far("the source", measures.source_round_trip_ms, "more tasks or larger fetches help")
    return Limit("source_fetch", f"reading from the source brokers{far}")


def _far(side: str, round_trip_ms: float | None, remedy: str) -> str:
    if round_trip_ms is None or round_trip_ms < SLOW_ROUND_TRIP_MS:
        return ""
    return f"; {side} is {round_trip_ms:.0f} ms away: {remedy}"
