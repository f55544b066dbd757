"""Writes and reads the advertisements of services in one target cluster."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from replication.codecs.service_advertisements import decode_advertisement, encode_advertisement
from replication.domain.errors import MalformedRecordError
from replication.domain.names.internal_topics import SERVICE_HEARTBEATS
from replication.domain.services.advertisement import Advertisement, SeenAdvertisement
from replication.lists.topic_creation import create_if_missing
from replication.ports.admin import ClusterAdmin
from replication.ports.producer import RecordProducer
from replication.ports.record_log import LogRecord, RecordLog

_PARTITION = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvertisedServices:
    """The newest advertisement of each service, by id; `refused` holds the reason for each unreadable key."""

    services: dict[str, SeenAdvertisement] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


class ServiceAdvertisements:
    """The advertisements in one target cluster. Blocking; one thread at a time.

    Raises `replication.domain.errors` as the ports do.
    """

    def __init__(self, admin: ClusterAdmin, log: RecordLog, producer: RecordProducer) -> None:
        self._admin = admin
        self._log = log
        self._producer = producer

    def advertise(self, advertisement: Advertisement, *, replication_factor: int) -> None:
        """Write an advertisement and wait until the cluster has it; creates the topic if it is missing."""
        create_if_missing(self._admin, SERVICE_HEARTBEATS, SERVICE_HEARTBEATS.name(), replication_factor)
        key, value = encode_advertisement(advertisement)
        self._send(key, value)

    def withdraw(self, service_id: str) -> None:
        """Remove the advertisement of a service that stops."""
        self._send(service_id.encode(), None)

    def read(self) -> AdvertisedServices:
        """Return the advertised services; there are none while the topic does not exist."""
        return folded(self._log.read_to_end(SERVICE_HEARTBEATS.name()))

    def close(self) -> None:
        self._producer.close()
        self._log.close()
        self._admin.close()

    def _send(self, key: bytes, value: bytes | None) -> None:
        self._producer.send(SERVICE_HEARTBEATS.name(), key=key, value=value, partition=_PARTITION)
        self._producer.flush()


def folded(records: Iterable[LogRecord]) -> AdvertisedServices:
    """Return the services that the records leave; the newest record of a key counts.

    A record that cannot be read replaces the earlier one of its key, and affects no other service.
    """
    found = AdvertisedServices()
    for record in records:
        key = (record.key or b"").decode(errors="replace")
        found.services.pop(key, None)
        found.refused.pop(key, None)
        if record.value is None:
            continue
        try:
            advertisement = decode_advertisement(record.key, record.value)
        except MalformedRecordError as error:
            found.refused[key] = error.text
        else:
            found.services[key] = SeenAdvertisement(advertisement=advertisement, stored_ms=record.timestamp_ms)
    return found
