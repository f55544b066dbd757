"""Which services are asked for the flows into a target, and in which order."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from replication.domain.services.advertisement import AdvertisementState

PeerUse = Literal["asked", "own", "not_allowed", "no_credential", "gone", "other_target"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerOffer:
    """A service that advertises itself in a target cluster; `targets` are those that it claims to report."""

    id: str
    address: str
    cluster: str
    targets: tuple[str, ...]
    state: AdvertisementState
    started_ms: int

    @property
    def service(self) -> str:
        """The service, without which of its instances it is."""
        return service_of(self.id)


def peer_use(offer: PeerOffer, *, own: str, allowed: Collection[str], with_credential: Collection[str]) -> PeerUse:
    """Return whether a service is asked for the flows into the cluster of its advertisement, or why it is not.

    Everybody who may write to the topic can advertise any address. Only addresses that the operator has allowed are
    asked, and a service only for flows into the cluster where it advertises itself.
    """
    if is_own(offer.id, own):
        return "own"
    if offer.address not in allowed:
        return "not_allowed"
    if offer.cluster not in offer.targets:
        return "other_target"
    if offer.state == "gone":
        return "gone"
    return "asked" if offer.address in with_credential else "no_credential"


def instance_id(service: str, digest: str) -> str:
    """Return the key under which one address of a service is advertised."""
    return f"{service}.{digest}"


def is_own(advertised: str, service: str) -> bool:
    """Return whether an advertised id is of this service: its instances share one database."""
    return service_of(advertised) == service


def service_of(advertised: str) -> str:
    """Return the service of an advertised id, which all of its instances share."""
    return advertised.partition(".")[0]


def peers_by_target(offers: Iterable[PeerOffer], *, own_targets: Collection[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the addresses to ask by target, the first choice first; this service reports its own targets itself.

    Services that are alive come first, then those that started earlier, so that the choice does not change.
    """
    ordered = sorted(offers, key=lambda offer: (offer.state != "live", offer.started_ms, offer.id))
    found: dict[str, list[str]] = {}
    for offer in ordered:
        if offer.cluster not in own_targets and offer.address not in found.setdefault(offer.cluster, []):
            found[offer.cluster].append(offer.address)
    return {target: tuple(addresses) for target, addresses in found.items()}
