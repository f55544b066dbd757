"""The data types in which other apps and REST see remote services."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from replication.domain.services.advertisement import AdvertisementState
from replication.domain.services.peers import PeerOffer, PeerUse


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerPlan:
    """Which services are asked now: addresses by target, the first choice first.

    `refused` are the addresses that advertise themselves and may not be asked, with the reason. `tokens` are by
    address.
    """

    service: str = ""
    remote_targets: tuple[str, ...] = ()
    by_target: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    offers: tuple[PeerOffer, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    tokens: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerReply:
    """A JSON answer of another service; `clock_difference_ms` is the lead of its clock over ours."""

    status: int
    body: Any
    received_bytes: int
    round_trip_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteService:
    """A service that advertises itself in a target cluster."""

    id: Annotated[str, "the service and its address; instances on one database begin alike"]
    address: str
    cluster: Annotated[str, "the cluster in which the advertisement was read"]
    targets: Annotated[tuple[str, ...], "the targets that it claims to report"]
    state: Annotated[AdvertisementState, "by the age of its advertisement"]
    age_ms: Annotated[int, "age of its advertisement, by the clock of the cluster"]
    interval_ms: int
    started_ms: Annotated[int, "by its clock"]
    version: str
    is_other_version: Annotated[bool, "its version differs from that of this service"]
    use: Annotated[PeerUse, "whether it is asked, or why it is not"]
    is_first: Annotated[bool, "it is the first choice for the flows into the cluster"]
    problem: Annotated[str | None, "why it is not asked or does not answer, with the remedy; null: nothing is wrong"]
    clock_difference_ms: Annotated[int | None, "how far its clock is ahead of that of this service; null: unknown"]
    asked_ms: Annotated[int | None, "the last request; null: it was never asked"]
    answered_ms: Annotated[int | None, "the last answer"]
    round_trip_ms: int | None
    requests: Annotated[int, "requests of this service to the address"]
    received_bytes: Annotated[int, "bytes of its answers, as they came over the network"]

    @property
    def key(self) -> str:
        return f"{self.cluster} {self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvertisedClusterDto:
    """A cluster in which this service advertises itself, or reads the advertisements of others."""

    alias: str
    is_target: Annotated[bool, "this service reports the flows into it, and advertises itself there"]
    is_remote_target: Annotated[bool, "other services report the flows into it"]
    sent_ms: Annotated[int | None, "the last own advertisement"]
    send_error: str | None
    read_ms: Annotated[int | None, "when the advertisements of others were last read"]
    read_error: str | None
    refused: Annotated[Mapping[str, str], "advertisements that cannot be read, with the reason, by key"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnService:
    """What this service advertises; `address` is null if it does not advertise itself."""

    id: str | None
    address: str | None
    targets: tuple[str, ...]
    version: str
    interval_ms: int
