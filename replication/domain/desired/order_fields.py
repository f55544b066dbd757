"""JSON shapes of an operator's orders in the desired document, both ways."""

from typing import Any

from replication.domain.control.orders import (
    Hold,
    Reset,
    ResetTo,
    RestartOrder,
    Stop,
    ToOffset,
    TopicOrder,
    TopicThrottle,
    ToTimestamp,
)
from replication.domain.desired.json_reader import FieldError, JsonReader
from replication.domain.offsets.start_position import LOG_ENDS


def topic_order_to(order: TopicOrder) -> dict[str, object]:
    return {"topic": order.topic, "partition": order.partition, "until_ms": order.until_ms, "reason": order.reason}


def hold_from(value: object, path: str) -> Hold:
    return Hold(**_topic_order(JsonReader(value, path)))


def stop_from(value: object, path: str) -> Stop:
    return Stop(**_topic_order(JsonReader(value, path)))


def throttle_to(throttle: TopicThrottle) -> dict[str, object]:
    return {**topic_order_to(throttle), "bytes_per_second": throttle.bytes_per_second}


def throttle_from(value: object, path: str) -> TopicThrottle:
    fields = JsonReader(value, path)
    return TopicThrottle(**_topic_order(fields), bytes_per_second=fields.integer("bytes_per_second", least=1))


def reset_to(reset: Reset) -> dict[str, object]:
    match reset.to:
        case ToOffset(offset=offset):
            to: object = {"offset": offset}
        case ToTimestamp(timestamp_ms=timestamp_ms):
            to = {"timestamp_ms": timestamp_ms}
        case word:
            to = word
    return {"id": reset.id, "topic": reset.topic, "partition": reset.partition, "to": to}


def reset_from(value: object, path: str) -> Reset:
    fields = JsonReader(value, path)
    return Reset(
        id=fields.text("id"),
        topic=fields.text("topic"),
        partition=fields.integer("partition", least=0),
        to=_where(fields),
    )


def restart_to(restart: RestartOrder) -> dict[str, object]:
    return {"id": restart.id, "task": restart.task, "topic": restart.topic, "partition": restart.partition}


def restart_from(value: object, path: str) -> RestartOrder:
    fields = JsonReader(value, path)
    restart = RestartOrder(
        id=fields.text("id"),
        task=fields.integer_or_none("task"),
        topic=fields.text_or_none("topic"),
        partition=fields.integer_or_none("partition"),
    )
    if restart.topic is None and restart.partition is not None:
        raise FieldError(fields.path("partition"), "a partition needs its topic")
    return restart


def _topic_order(fields: JsonReader) -> dict[str, Any]:
    """The fields that all orders for a topic or partition have."""
    return {
        "topic": fields.text("topic"),
        "partition": fields.integer_or_none("partition"),
        "until_ms": fields.integer_or_none("until_ms"),
        "reason": fields.text("reason", ""),
    }


def _where(fields: JsonReader) -> ResetTo:
    if not isinstance(fields.raw("to"), dict):
        return fields.choice("to", LOG_ENDS)
    place = fields.nested("to")
    if place.raw("offset") is not None:
        return ToOffset(offset=place.integer("offset", least=0))
    return ToTimestamp(timestamp_ms=place.integer("timestamp_ms", least=0))
