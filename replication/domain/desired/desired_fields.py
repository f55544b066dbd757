"""JSON shapes of the desired document's values, both ways."""

from typing import get_args

from replication.domain.desired.desired_flow import (
    ConnectorSettings,
    DesiredCluster,
    DesiredFlow,
    FlowState,
    NamePatterns,
    Pause,
    PolicyChoice,
    Start,
)
from replication.domain.desired.json_reader import FieldError, JsonReader
from replication.domain.desired.order_fields import (
    hold_from,
    reset_from,
    reset_to,
    restart_from,
    restart_to,
    stop_from,
    throttle_from,
    throttle_to,
    topic_order_to,
)
from replication.domain.names.replication_policy import PolicyKind
from replication.domain.offsets.start_position import LOG_ENDS
from replication.domain.settings.choices import Delivery, GapPolicy
from replication.domain.settings.registry.clients import AUTO_OFFSET_RESET


def cluster_to(cluster: DesiredCluster) -> dict[str, object]:
    return {"bootstrap": list(cluster.bootstrap), "client": cluster.client, "secret": cluster.secret}


def cluster_from(value: object, path: str) -> DesiredCluster:
    fields = JsonReader(value, path)
    bootstrap = fields.texts("bootstrap")
    if not bootstrap:
        raise FieldError(fields.path("bootstrap"), "expected at least one host:port")
    return DesiredCluster(bootstrap=bootstrap, client=fields.text_map("client"), secret=fields.text_or_none("secret"))


def flow_to(flow: DesiredFlow) -> dict[str, object]:
    return {
        "source": flow.source,
        "enabled": flow.enabled,
        "heartbeats": flow.heartbeats,
        "state": flow.state,
        "pause": flow.pause and {"reason": flow.pause.reason, "by": flow.pause.by, "until_ms": flow.pause.until_ms},
        "generation": flow.generation,
        "tasks_max": flow.tasks_max,
        "delivery": flow.delivery,
        "policy": {
            "kind": flow.policy.kind,
            "separator": flow.policy.separator,
            "template": flow.policy.template,
        },
        "topics": _patterns_to(flow.topics),
        "groups": _patterns_to(flow.groups),
        **({"reverse_topics": _patterns_to(flow.reverse_topics)} if flow.reverse_topics != NamePatterns() else {}),
        "control_offset": flow.control_offset,
        "start": {"timestamp_ms": flow.start} if isinstance(flow.start, int) else flow.start,
        "gap_policy": flow.gap_policy,
        "throttle_bytes_per_second": flow.throttle_bytes_per_second,
        **({} if flow.throttle_until_ms is None else {"throttle_until_ms": flow.throttle_until_ms}),
        **({"topic_throttles": [throttle_to(each) for each in flow.topic_throttles]} if flow.topic_throttles else {}),
        "holds": [topic_order_to(hold) for hold in flow.holds],
        **({"stops": [topic_order_to(stop) for stop in flow.stops]} if flow.stops else {}),
        "resets": [reset_to(reset) for reset in flow.resets],
        **({"restarts": [restart_to(restart) for restart in flow.restarts]} if flow.restarts else {}),
        "connectors": {
            "source": flow.connectors.source,
            "checkpoint": flow.connectors.checkpoint,
            "heartbeat": flow.connectors.heartbeat,
        },
    }


def flow_from(value: object, path: str) -> DesiredFlow:
    fields = JsonReader(value, path)
    plain = DesiredFlow(source="")  # absent fields take the defaults stated there
    throttle = fields.integer_or_none("throttle_bytes_per_second")
    if throttle is not None and throttle < 1:
        raise FieldError(fields.path("throttle_bytes_per_second"), f"expected at least 1, got {throttle}")
    return DesiredFlow(
        source=_source(fields),
        enabled=fields.boolean("enabled", plain.enabled),
        heartbeats=fields.boolean("heartbeats", plain.heartbeats),
        state=fields.choice("state", get_args(FlowState), plain.state),
        pause=_pause(fields.nested_or_none("pause")),
        generation=fields.integer("generation", plain.generation, least=0),
        tasks_max=fields.integer("tasks_max", plain.tasks_max, least=1),
        delivery=fields.choice("delivery", get_args(Delivery), plain.delivery),
        policy=_policy(fields.nested_or_none("policy")),
        topics=_patterns(fields.nested_or_none("topics")),
        groups=_patterns(fields.nested_or_none("groups")),
        reverse_topics=_patterns(fields.nested_or_none("reverse_topics")),
        control_offset=fields.integer_or_none("control_offset"),
        start=_start(fields),
        gap_policy=fields.choice("gap_policy", get_args(GapPolicy), plain.gap_policy),
        throttle_bytes_per_second=throttle,
        throttle_until_ms=fields.integer_or_none("throttle_until_ms"),
        topic_throttles=fields.each("topic_throttles", throttle_from),
        holds=fields.each("holds", hold_from),
        stops=fields.each("stops", stop_from),
        resets=fields.each("resets", reset_from),
        restarts=fields.each("restarts", restart_from),
        connectors=_connectors(fields.nested_or_none("connectors")),
    )


def _source(fields: JsonReader) -> str:
    source = fields.text("source")
    if not source or "/" in source or ":" in source:
        raise FieldError(fields.path("source"), f"not a cluster alias: {source!r}")
    return source


def _pause(fields: JsonReader | None) -> Pause | None:
    if fields is None:
        return None
    return Pause(
        reason=fields.text("reason", ""), by=fields.text("by", ""), until_ms=fields.integer_or_none("until_ms")
    )


def _policy(fields: JsonReader | None) -> PolicyChoice:
    plain = PolicyChoice()  # absent fields take the defaults stated there
    if fields is None:
        return plain
    policy = PolicyChoice(
        kind=fields.choice("kind", get_args(PolicyKind), plain.kind),
        separator=fields.text("separator", plain.separator),
        template=fields.text_or_none("template"),
    )
    if policy.kind == "template" and not policy.template:
        raise FieldError(fields.path("template"), "a template policy needs its template")
    return policy


def _patterns_to(patterns: NamePatterns) -> dict[str, object]:
    return {"allow": list(patterns.allow), "deny": list(patterns.deny)}


def _patterns(fields: JsonReader | None) -> NamePatterns:
    return NamePatterns() if fields is None else NamePatterns(allow=fields.texts("allow"), deny=fields.texts("deny"))


def _start(fields: JsonReader) -> Start:
    if isinstance(fields.raw("start"), dict):
        return fields.nested("start").integer("timestamp_ms", least=0)
    return fields.choice("start", LOG_ENDS, AUTO_OFFSET_RESET.default)


def _connectors(fields: JsonReader | None) -> ConnectorSettings:
    if fields is None:
        return ConnectorSettings()
    return ConnectorSettings(
        source=fields.text_map("source"),
        checkpoint=fields.text_map("checkpoint"),
        heartbeat=fields.text_map("heartbeat"),
    )
