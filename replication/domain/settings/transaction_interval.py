"""The time for which a transaction of an exactly-once flow takes records before it is committed."""

from collections.abc import Mapping

from replication.domain.settings.registry.records import CONNECT_TRANSACTION_INTERVAL, TRANSACTION_INTERVAL


def transaction_interval_ms(settings: Mapping[str, str]) -> int:
    """Return our setting before Kafka Connect's. Raises SettingError."""
    chosen = TRANSACTION_INTERVAL if TRANSACTION_INTERVAL.key in settings else CONNECT_TRANSACTION_INTERVAL
    return chosen.read(settings)
