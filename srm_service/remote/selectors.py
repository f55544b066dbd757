"""Queries of remote services: who may be asked for what, and what is known of each."""

import threading
import time
from collections.abc import Collection, Iterable, Mapping

import structlog
from django.conf import settings

from replication.config.release import version
from replication.domain.sentences import sentence
from replication.domain.services.address import advertised_address
from replication.domain.services.advertisement import Advertisement, SeenAdvertisement, ServiceProtocol
from replication.domain.services.peers import PeerOffer, PeerUse, peer_use, peers_by_target
from srm_service.clusters.secret_box import SecretsUnreadableError, decrypt
from srm_service.configuration.selectors import system_settings
from srm_service.core.clock import now_ms
from srm_service.flows.selectors import reported_targets
from srm_service.remote.contracts import AdvertisedClusterDto, OwnService, PeerPlan, RemoteService
from srm_service.remote.models import AdvertisedCluster, PeerCredential, PeerState, SeenService
from srm_service.remote.services import TOKEN, own_advertisement, own_service

FORGET_AFTER_MS = 7 * 24 * 3_600_000
_KEEP_S = 2.0
_PROTOCOLS: Mapping[str, ServiceProtocol] = {"http": "http", "https": "https"}
_PROBLEMS: Mapping[PeerUse, str] = {
    "asked": "",
    "own": "",
    "gone": "It no longer advertises itself: start it.",
    "not_allowed": "The address is not allowed: add it to SRM_REMOTE_ADDRESSES if you trust it.",
    "no_credential": "There is no token for its address: add one with `srm-control services trust`.",
    "other_target": "It does not claim to report the cluster in which it advertises itself.",
}
_log = structlog.get_logger(__name__)


class _Plan:
    """Keeps the plan for a moment, so that many requests in one second cost one reading."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._plan: PeerPlan | None = None
        self._read_at_s = 0.0

    def read(self) -> PeerPlan:
        with self._lock:
            if self._plan is None or time.monotonic() - self._read_at_s > _KEEP_S:
                self._plan, self._read_at_s = _read_plan(), time.monotonic()
            return self._plan

    def forget(self) -> None:
        with self._lock:
            self._plan = None


_plan = _Plan()


def peer_plan() -> PeerPlan:
    """Return the services that are asked by target, at most two seconds old. Without remote targets, one query."""
    return _plan.read()


def forget_plan() -> None:
    """Read again next time: after a change made here, and between tests."""
    _plan.forget()


def remote_services() -> tuple[RemoteService, ...]:
    """All services that advertise themselves in remote targets, by cluster and id; silent ones for a week."""
    at_ms, own = now_ms(), own_service()
    seen = list(_seen())
    known = _Known(own)
    plan = peer_plan()
    states = {state.address: state for state in PeerState.objects.all()}
    found = [_service(row, at_ms, known, plan, states) for row in seen]
    return tuple(each for each in found if each.use != "own" and each.age_ms < FORGET_AFTER_MS)


def advertised_clusters() -> tuple[AdvertisedClusterDto, ...]:
    """The targets of this service and the remote ones, by alias."""
    own, remote = reported_targets(), system_settings().remote_targets
    known = {row.alias: row for row in AdvertisedCluster.objects.all()}
    aliases = sorted({*own, *remote})
    rows = ((alias, known.get(alias, AdvertisedCluster(alias=alias))) for alias in aliases)
    return tuple(
        AdvertisedClusterDto(
            alias=alias,
            is_target=alias in own,
            is_remote_target=alias in remote,
            sent_ms=row.sent_ms if alias in own else None,
            send_error=row.send_error or None if alias in own else None,
            read_ms=row.read_ms if alias in remote else None,
            read_error=row.read_error or None if alias in remote else None,
            refused=dict(row.refused) if alias in remote else {},
        )
        for alias, row in rows
    )


def own_answer() -> OwnService:
    """Return the advertisement of this instance."""
    targets = tuple(sorted(reported_targets()))
    advertised = own_advertisement(targets)
    return OwnService(
        id=None if advertised is None else advertised.id,
        address=None if advertised is None else advertised_address(advertised),
        targets=targets,
        version=version(),
        interval_ms=settings.SRM_REMOTE.interval_ms,
    )


class _Known:
    """The facts that decide whether a service is asked."""

    def __init__(self, own: str) -> None:
        self._own = own
        self.tokens = _tokens()

    def use(self, offer: PeerOffer) -> PeerUse:
        return peer_use(offer, own=self._own, allowed=settings.SRM_REMOTE.allowed, with_credential=self.tokens)


def _read_plan() -> PeerPlan:
    remote = system_settings().remote_targets
    if not remote:
        return PeerPlan()
    own, at_ms = own_service(), now_ms()
    known = _Known(own)
    offers = [_offer(row, at_ms) for row in _seen(remote)]
    uses = [(offer, known.use(offer)) for offer in offers]
    asked = [offer for offer, use in uses if use == "asked"]
    refused = {
        offer.address: f"advertises itself in {offer.cluster}. {_PROBLEMS[use]}"
        for offer, use in uses
        if use in ("not_allowed", "no_credential", "other_target") and offer.state != "gone"
    }
    own_targets = reported_targets()
    return PeerPlan(
        service=own,
        remote_targets=tuple(target for target in remote if target not in own_targets),
        by_target=peers_by_target(asked, own_targets=own_targets),
        offers=tuple(asked),
        refused=refused,
        tokens={offer.address: known.tokens[offer.address] for offer in asked},
    )


def _seen(clusters: Collection[str] | None = None) -> Iterable[SeenService]:
    rows = SeenService.objects.select_related("cluster")
    return rows if clusters is None else rows.filter(cluster__alias__in=clusters)


def _tokens() -> dict[str, str]:
    """Tokens by address; one that cannot be opened counts as missing."""
    found: dict[str, str] = {}
    for row in PeerCredential.objects.all():
        try:
            found[row.address] = decrypt(row.sealed)[TOKEN]
        except (SecretsUnreadableError, KeyError) as error:
            _log.error("credential skipped", address=row.address, error=str(error))
    return found


def _seen_advertisement(row: SeenService) -> SeenAdvertisement:
    advertised = Advertisement(
        id=row.service,
        protocol=_PROTOCOLS[row.protocol],
        host=row.host,
        port=row.port,
        root_path=row.root_path,
        targets=tuple(row.targets),
        version=row.version,
        started_ms=row.started_ms,
        sent_ms=row.sent_ms,
        interval_ms=row.interval_ms,
    )
    return SeenAdvertisement(advertisement=advertised, stored_ms=row.stored_ms)


def _offer(row: SeenService, at_ms: int) -> PeerOffer:
    seen = _seen_advertisement(row)
    return PeerOffer(
        id=row.service,
        address=advertised_address(seen.advertisement),
        cluster=row.cluster.alias,
        targets=tuple(row.targets),
        state=seen.state(at_ms),
        started_ms=row.started_ms,
    )


def _service(
    row: SeenService, at_ms: int, known: _Known, plan: PeerPlan, states: Mapping[str, PeerState]
) -> RemoteService:
    seen, offer = _seen_advertisement(row), _offer(row, at_ms)
    use = known.use(offer)
    state = states.get(offer.address) if use in ("asked", "gone") else None
    state = state or PeerState(address=offer.address)
    own_version, its_version = version(), state.version or row.version
    measured = state.clock_difference_ms
    return RemoteService(
        id=row.service,
        address=offer.address,
        cluster=offer.cluster,
        targets=offer.targets,
        state=offer.state,
        age_ms=seen.age_ms(at_ms),
        interval_ms=row.interval_ms,
        started_ms=row.started_ms,
        version=its_version,
        is_other_version=its_version != own_version,
        use=use,
        is_first=use == "asked" and plan.by_target.get(offer.cluster, ("",))[0] == offer.address,
        problem=_PROBLEMS[use] or (sentence(f"it {state.error}") if state.error else None),
        clock_difference_ms=seen.clock_difference_ms if measured is None else measured,
        asked_ms=state.asked_ms,
        answered_ms=state.answered_ms,
        round_trip_ms=state.round_trip_ms,
        requests=state.requests,
        received_bytes=state.received_bytes,
    )
