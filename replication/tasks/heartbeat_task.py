"""Proof of life of a flow: MirrorMaker's heartbeats on the target, and how old they are once they came through.

A heartbeat is written to the target's `heartbeats`. Flows that leave a cluster carry along the heartbeats written
there: what arrives as `<source>.heartbeats` was written at the source, so its age is the way through the whole flow.
"""

from replication.codecs.mm2_records import Heartbeat, encode_heartbeat
from replication.config.flows.policies import flow_policy
from replication.connectors.plan.source_settings import SourceSettings
from replication.connectors.topics import internal_topics
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.health.heartbeat import HeartbeatState, age_ms, is_due
from replication.domain.names.internal_topics import HEARTBEATS, HEARTBEATS_TOPIC
from replication.domain.settings.registry.planning import HEARTBEATS_INTERVAL, HEARTBEATS_KEY
from replication.ports.admin import ClusterAdmin
from replication.ports.arrivals import Arrivals
from replication.ports.producer import RecordProducer


class HeartbeatTask:
    """Of one flow, all its clients on the target. Call `beat` when one is due; blocking, one thread at a time."""

    def __init__(
        self,
        flow: DesiredFlow,
        target_alias: str,
        *,
        target: ClusterAdmin,
        producer: RecordProducer,
        arrivals: Arrivals,
    ) -> None:
        policy = flow_policy(flow.policy, flow.connectors.source, flow.source, target_alias)
        is_own = HEARTBEATS_KEY.read(flow.connectors.heartbeat) == "own"
        self._key = (flow.source, target_alias) if is_own else (target_alias, flow.source)
        self._settings = SourceSettings.of(flow.connectors.source)
        self._interval_ms = HEARTBEATS_INTERVAL.read(flow.connectors.heartbeat) * 1000
        self._arrival_topic = policy.format_remote_topic(flow.source, HEARTBEATS_TOPIC)
        self._target = target
        self._producer = producer
        self._arrivals = arrivals
        self._has_topic = False
        self._last_sent_ms: int | None = None
        self._queued_ms: int | None = None  # the time of a heartbeat that is not acknowledged

    @property
    def interval_ms(self) -> int:
        return self._interval_ms

    def beat(self, now_ms: int) -> HeartbeatState:
        """Write when due, and read the newest arrival. Raises what the ports raise, the target named."""
        self.prepare(now_ms)
        if self._queued_ms is not None:
            self._complete(self._queued_ms)
        newest_ms = self._arrivals.newest_ms(self._arrival_topic)
        arrived = None if newest_ms is None else age_ms(newest_ms, now_ms)
        return HeartbeatState(last_sent_ms=self._last_sent_ms, age_ms=arrived, written_ms=newest_ms)

    def prepare(self, now_ms: int) -> None:
        """Queue the heartbeat that is due; `beat` waits for it. So those of several flows are sent together."""
        if self._queued_ms is not None or not is_due(self._last_sent_ms, self._interval_ms, now_ms):
            return
        self._ensure_topic()
        source, target = self._key
        key, value = encode_heartbeat(Heartbeat(source=source, target=target, timestamp_ms=now_ms))
        self._producer.send(HEARTBEATS_TOPIC, key=key, value=value, partition=0, timestamp_ms=now_ms)
        self._queued_ms = now_ms

    def _complete(self, sent_ms: int) -> None:
        self._queued_ms = None
        try:
            self._producer.flush()
        except Exception:
            self._has_topic = False  # it may have been deleted; check again before the next one
            raise
        self._last_sent_ms = sent_ms

    def _ensure_topic(self) -> None:
        if self._has_topic:
            return
        existing = self._target.list_topics()
        if HEARTBEATS_TOPIC not in existing:
            brokers = self._target.describe_cluster().brokers
            wanted = internal_topics.new_topic(HEARTBEATS, self._settings, brokers)
            internal_topics.ensure(self._target, existing, [wanted])
        self._has_topic = True
