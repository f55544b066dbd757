"""Stores what is advertised, and the credentials for other services."""

import hashlib
import uuid
from collections.abc import Mapping

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from replication.config.release import version
from replication.domain.services.address import address_parts, parse_address
from replication.domain.services.advertisement import Advertisement, SeenAdvertisement, ServiceProtocol
from replication.domain.services.peers import instance_id
from replication.lists.service_advertisements import AdvertisedServices
from srm_service.clusters.secret_box import decrypt, encrypt
from srm_service.core.clock import now_ms
from srm_service.remote.models import AdvertisedCluster, PeerCredential, SeenService, ServiceIdentity
from srm_service.trail.contracts import Actor, TrailSubject
from srm_service.trail.services import record

TOKEN = "token"  # noqa: S105 - the name of a field
MOST_SERVICES = 100  # per cluster: everybody who may write to the topic can add some
_PROTOCOLS: Mapping[str, ServiceProtocol] = {"http": "http", "https": "https"}
_STARTED_MS = now_ms()


class AddressNotAllowedError(Exception):
    """The address is not one that this service may ask; the text has the remedy."""


def own_service() -> str:
    """The identity of this service, which is made at the first call and never changes."""
    return ServiceIdentity.objects.get_or_create(pk=1, defaults={"service": uuid.uuid4().hex})[0].service


def own_advertisement(targets: tuple[str, ...]) -> Advertisement | None:
    """Return the advertisement of this instance; None without an address or targets."""
    address = settings.SRM_REMOTE.advertised
    if not address or not targets:
        return None
    protocol, host, port, root_path = address_parts(address)
    return Advertisement(
        id=instance_id(own_service(), hashlib.sha256(address.encode()).hexdigest()[:12]),
        protocol=_PROTOCOLS[protocol],
        host=host,
        port=port,
        root_path=root_path,
        targets=targets,
        version=version(),
        started_ms=_STARTED_MS,
        sent_ms=now_ms(),
        interval_ms=settings.SRM_REMOTE.interval_ms,
    )


def note_sent(alias: str, error: str = "") -> None:
    """Note that this service has advertised itself in a cluster, or why it cannot."""
    done = {} if error else {"sent_ms": now_ms()}
    AdvertisedCluster.objects.update_or_create(alias=alias, defaults={"send_error": error, **done})


def note_read(alias: str, found: AdvertisedServices) -> None:
    """Replace what is known of the services in a cluster by what its topic says now."""
    chosen = sorted(found.services.values(), key=_is_unasked)[:MOST_SERVICES]
    refused = dict(list(_storable(found.refused).items())[:MOST_SERVICES])
    with transaction.atomic():
        cluster, _ = AdvertisedCluster.objects.select_for_update().get_or_create(alias=alias)
        cluster.read_ms, cluster.read_error, cluster.refused = now_ms(), "", refused
        cluster.save(update_fields=["read_ms", "read_error", "refused"])
        cluster.services.all().delete()
        SeenService.objects.bulk_create(_row(cluster, seen) for seen in chosen)


def note_unreadable(alias: str, error: str) -> None:
    """Note why the advertisements in a cluster cannot be read; those that were read before remain."""
    AdvertisedCluster.objects.update_or_create(alias=alias, defaults={"read_error": error})


def forget_clusters(keep: frozenset[str]) -> None:
    """Forget the clusters that are neither targets nor remote targets any more."""
    AdvertisedCluster.objects.exclude(alias__in=keep).delete()


def credential_set(*, address: str, token: str, by: Actor | str) -> str:
    """Store the token for an address, sealed; returns the address. Raises AddressNotAllowedError."""
    known = allowed_address(address)
    values = {"sealed": encrypt({TOKEN: token}), "set_by": str(by)[:150], "set_at": timezone.now()}
    with transaction.atomic():
        PeerCredential.objects.update_or_create(address=known, defaults=values)
        record(by=by, action="service.set_credential", subject=TrailSubject("service", known[:200]))
    return known


def credential_remove(*, address: str, by: Actor | str) -> bool:
    """Forget the token for an address; returns False if there is none."""
    with transaction.atomic():
        deleted, _ = PeerCredential.objects.filter(address=address).delete()
        if deleted:
            record(by=by, action="service.remove_credential", subject=TrailSubject("service", address[:200]))
    return bool(deleted)


def credentials_reseal() -> int:
    """Seal all tokens with the first key; returns their number. Raises SecretsUnreadableError."""
    sealed = list(PeerCredential.objects.select_for_update())
    for credential in sealed:
        credential.sealed = encrypt(decrypt(credential.sealed))
    PeerCredential.objects.bulk_update(sealed, ["sealed"], batch_size=200)
    return len(sealed)


def allowed_address(text: str) -> str:
    """Return an address in its one form. Raises AddressNotAllowedError."""
    try:
        address = parse_address(text)
    except ValueError as error:
        raise AddressNotAllowedError(str(error)) from error
    if address not in settings.SRM_REMOTE.allowed:
        raise AddressNotAllowedError(f"{address} is not allowed: add it to SRM_REMOTE_ADDRESSES and restart")
    return address


def _is_unasked(seen: SeenAdvertisement) -> tuple[bool, int]:
    """Allowed addresses first, then the newest advertisements."""
    return parse_address(seen.advertisement.address) not in settings.SRM_REMOTE.allowed, -seen.stored_ms


def _storable(texts: Mapping[str, str]) -> dict[str, str]:
    """PostgreSQL stores no NUL."""
    return {key.replace("\0", "\\0")[:200]: text.replace("\0", "\\0")[:500] for key, text in texts.items()}


def _row(cluster: AdvertisedCluster, seen: SeenAdvertisement) -> SeenService:
    advertised = seen.advertisement
    return SeenService(
        cluster=cluster,
        service=advertised.id,
        protocol=advertised.protocol,
        host=advertised.host,
        port=advertised.port,
        root_path=advertised.root_path,
        targets=list(advertised.targets)[:1_000],
        version=advertised.version,
        started_ms=advertised.started_ms,
        sent_ms=advertised.sent_ms,
        stored_ms=seen.stored_ms,
        interval_ms=advertised.interval_ms,
    )
