"""Values of the admin client between confluent-kafka's and ours."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType

from replication.domain.plan.topic_config import ConfigChange, ConfigValue, config_source

Item = TypeVar("Item")


def incremental(change: ConfigChange) -> ConfigResource:
    entries = [
        *(ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET) for name, value in change.set.items()),
        *(ConfigEntry(name, None, incremental_operation=AlterConfigOpType.DELETE) for name in change.delete),
    ]
    return ConfigResource(ResourceType.TOPIC, change.topic, incremental_configs=entries)


def words(operations: Any) -> frozenset[str]:
    """The library's operations as the port names them; it returns None where the broker reports none."""
    return frozenset(operation.name.lower() for operation in operations or ())


def config_value(entry: ConfigEntry) -> ConfigValue:
    return ConfigValue(
        name=entry.name,
        value=entry.value,
        source=config_source(_number(entry.source)),
        read_only=bool(entry.is_read_only),
        sensitive=bool(entry.is_sensitive),
    )


def _number(source: Any) -> int:
    """The library documents an enum here and hands out a number."""
    return int(getattr(source, "value", source))


def id_bytes(topic_id: object) -> bytes:
    """librdkafka's Uuid as the 16 bytes of the protocol."""
    high = topic_id.get_most_significant_bits()  # type: ignore[attr-defined]  # the C type has no stub
    low = topic_id.get_least_significant_bits()  # type: ignore[attr-defined]  # the C type has no stub
    return int(high & (1 << 64) - 1).to_bytes(8, "big") + int(low & (1 << 64) - 1).to_bytes(8, "big")


def chunks(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    return (items[at : at + size] for at in range(0, len(items), size))
