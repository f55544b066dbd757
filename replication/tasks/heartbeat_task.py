"""Proof of life of a flow: MirrorMaker's heartbeats on the target, and how old they are once they came through.

A heartbeat is written to the target's `heartbeats`. Flows that leave a cluster carry along the heartbeats written
there: what arrives as `<source>.heartbeats` was written at the source, so its age is the way through the whole flow.
"""

from replication.codecs.mm2_records import Heartbeat, encode_heartbeat
from replication.config.policies import flow_policy
from replication.connectors import internal_topics
from replication.connectors.source_settings import SourceSettings
from replication.domain.desired import DesiredFlow
from replication.domain.errors import ConfigurationError
from replication.domain.heartbeat import HeartbeatState, age_ms, is_due
from replication.domain.naming import HEARTBEATS_TOPIC
from replication.ports.admin import ClusterAdmin
from replication.ports.producer import RecordProducer
from replication.ports.record_log import RecordLog

_INTERVAL_KEY = "emit.heartbeats.interval.seconds"
_DEFAULT_INTERVAL_S = 5


def heartbeat_interval_ms(flow: DesiredFlow) -> int:
    """The original's five seconds unless the flow says otherwise. Raises ConfigurationError."""
    text = flow.connectors.heartbeat.get(_INTERVAL_KEY, str(_DEFAULT_INTERVAL_S)).strip()
    if not text.isdigit() or int(text) < 1:
        raise ConfigurationError(f"{_INTERVAL_KEY} must be a whole number above 0, not {text!r}")
    return int(text) * 1000


class HeartbeatTask:
    """Of one flow, all its clients on the target. Call `beat` about once a second; blocking, one thread at a time."""

    def __init__(
        self, flow: DesiredFlow, target_alias: str, *, target: ClusterAdmin, producer: RecordProducer, log: RecordLog
    ) -> None:
        policy = flow_policy(flow.policy, flow.connectors.source, flow.source, target_alias)
        self._source = flow.source
        self._target_alias = target_alias
        self._settings = SourceSettings.of(flow.connectors.source)
        self._interval_ms = heartbeat_interval_ms(flow)
        self._arrival_topic = policy.format_remote_topic(flow.source, HEARTBEATS_TOPIC)
        self._target = target
        self._producer = producer
        self._log = log
        self._has_topic = False
        self._last_sent_ms: int | None = None

    def beat(self, now_ms: int) -> HeartbeatState:
        """Write when due, and look for the newest arrival. Raises what the ports raise, the target named."""
        if is_due(self._last_sent_ms, self._interval_ms, now_ms):
            self._ensure_topic()
            key, value = encode_heartbeat(
                Heartbeat(source=self._source, target=self._target_alias, timestamp_ms=now_ms)
            )
            self._producer.send(HEARTBEATS_TOPIC, key=key, value=value, partition=0, timestamp_ms=now_ms)
            self._send(now_ms)
        newest = self._log.newest(self._arrival_topic)
        arrived = None if newest is None else age_ms(newest.timestamp_ms, now_ms)
        return HeartbeatState(last_sent_ms=self._last_sent_ms, age_ms=arrived)

    def _send(self, now_ms: int) -> None:
        try:
            self._producer.flush()
        except Exception:
            self._has_topic = False  # it may have been deleted; look again before the next one
            raise
        self._last_sent_ms = now_ms

    def _ensure_topic(self) -> None:
        if self._has_topic:
            return
        existing = self._target.list_topics()
        if HEARTBEATS_TOPIC not in existing:
            brokers = self._target.describe_cluster().brokers
            wanted = internal_topics.heartbeats_topic(self._settings, brokers)
            internal_topics.ensure(self._target, existing, [wanted])
        self._has_topic = True
