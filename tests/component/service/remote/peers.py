"""Answers of another service, recorded from this code in its place, and its advertisement."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import redis
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.utils import timezone
from rest_framework.test import APIClient

from replication.config.tree import PropertyPlace
from srm_service.configuration.contracts import PropertyChange
from srm_service.configuration.services import apply_changes
from srm_service.core.auth.accounts import roles_ensure
from srm_service.core.clock import now_ms
from srm_service.monitoring.flows.freshness import forget_store_state
from srm_service.monitoring.models import Series
from srm_service.people.contracts import TokenScope
from srm_service.people.tokens import token_create
from srm_service.remote.asking.loop import peer_loop
from srm_service.remote.models import AdvertisedCluster, SeenService, ServiceIdentity
from srm_service.remote.selectors import forget_plan
from srm_service.remote.services import credential_set, own_service
from tests.component.service.conftest import put
from tests.support.drivers import live_documents as live
from tests.support.metrics import tiles
from tests.support.servers.peer import ScriptedPeer, says

FLOW = ("us-east", "ap-south")
FLOW_PATH = "replications/us-east/ap-south"
TOKEN = "srm_token_of_the_peer"
STEP_MS = 10_000
_KEY = "streams.replication.manager.service."


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """`internal` are the bodies by path that another service sends; `public` are its answers to its own readers."""

    service: str
    begin_ms: int
    internal: Mapping[str, Any] = field(default_factory=dict)
    public: Mapping[str, Any] = field(default_factory=dict)

    @property
    def window(self) -> dict[str, str]:
        times = {"from_ms": self.begin_ms, "to_ms": self.begin_ms + 3 * STEP_MS, "step_ms": STEP_MS}
        return {name: str(value) for name, value in times.items()}


def report_targets(own: str, remote: str) -> None:
    """Let this service report the flows into these targets, and look for services that report others."""
    values = {"target.cluster": own, "remote.target.cluster": remote}
    changes = [
        PropertyChange(place=PropertyPlace(level="global", name=_KEY + name), value=value)
        for name, value in values.items()
    ]
    apply_changes(changes, by="test", comment="")
    forget_plan()


def with_token(*scopes: TokenScope) -> APIClient:
    """A program with a token of these scopes."""
    roles_ensure()
    user, _ = User.objects.get_or_create(username="gateway")
    user.groups.set(Group.objects.filter(name="admin"))
    expires_at = timezone.now() + timedelta(hours=1)
    _, text = token_create(owner=user, role="admin", name="t", scopes=scopes, expires_at=expires_at, by="me")
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    return client


def record(reader: APIClient, client: redis.Redis) -> Recorded:
    """Be the service that reports us-east->ap-south, note its answers, and forget all that it knows."""
    report_targets("ap-south", "")
    now = now_ms()
    recorded = Recorded(service=own_service(), begin_ms=now - now % STEP_MS - 120_000)
    _copy(client, now, recorded.begin_ms)
    window = {name: recorded.window[name] for name in ("from_ms", "to_ms")}
    series = {**recorded.window, "metric": "records_per_second"}
    of_both: dict[str, dict[str, str]] = {
        "metrics/flows": series,
        FLOW_PATH: window,
        f"{FLOW_PATH}/topics": {},
        f"{FLOW_PATH}/topics/orders": {},
        f"{FLOW_PATH}/topics/orders/partitions": {},
        f"{FLOW_PATH}/series": series,
    }
    reports: dict[str, dict[str, str]] = {"flows": {}, "answers": window, "live-topics/us-east/ap-south": {}}
    peer = with_token("peer")
    internal = {path: _body(peer, f"/internal/v1/{path}", query) for path, query in {**reports, **of_both}.items()}
    answers = {"replications": window, **of_both}
    public = {path: _body(reader, f"/api/v2/{path}", query) for path, query in answers.items()}
    client.flushdb()
    Series.objects.all().delete()
    ServiceIdentity.objects.all().delete()
    forget_store_state()
    return replace(recorded, internal=internal, public=public)


def serve(peer: ScriptedPeer, recorded: Recorded) -> None:
    """Let a scripted service answer as the recorded one does, now."""
    for path, body in recorded.internal.items():
        fresh = {**body, "time_ms": now_ms()} if "time_ms" in body else body
        peer.answers[path] = says(fresh)


def advertised(
    peer: ScriptedPeer, *, service: str, cluster: str = "ap-south", started_ms: int = 1, address: str = ""
) -> str:
    """Let a service be one that advertises itself now, may be asked and has a token; returns its address."""
    address = address or peer.address
    settings.SRM_REMOTE = replace(settings.SRM_REMOTE, allowed=settings.SRM_REMOTE.allowed | {address})
    row, _ = AdvertisedCluster.objects.get_or_create(alias=cluster)
    SeenService.objects.create(
        cluster=row,
        service=f"{service}.{peer.port}",
        protocol=peer.protocol,
        host=peer.host,
        port=peer.port,
        targets=[cluster],
        version="0.1.0",
        started_ms=started_ms,
        sent_ms=now_ms(),
        stored_ms=now_ms(),
        interval_ms=10_000,
    )
    credential_set(address=address, token=TOKEN, by="test")
    forget_plan()
    return address


def wait_at_most(timeout_ms: int) -> None:
    """Set the time limit for one service."""
    settings.SRM_REMOTE = replace(settings.SRM_REMOTE, timeout_ms=timeout_ms)
    peer_loop.renew_client()


def _copy(client: redis.Redis, now: int, begin_ms: int) -> None:
    put(
        client,
        live.source_task(*FLOW, now),
        live.plan_task(*FLOW, now),
        live.heartbeat_task(*FLOW, now),
        live.plan_document(*FLOW, now),
    )
    flow, orders = tiles.series(*FLOW), tiles.series(*FLOW, "orders")
    for number in range(2):
        tiles.tile(flow, begin_ms + number * STEP_MS, records=500 + number, latencies_ms=[7, 70])
        tiles.tile(orders, begin_ms + number * STEP_MS, level="topic", records=300)
    tiles.now_row(tiles.series(*FLOW, "orders", partition=0), now, covered_to=93, log_end=100)
    tiles.writer("ap-south", now)
    forget_store_state()


def _body(client: APIClient, path: str, query: Mapping[str, str]) -> Any:
    answer = client.get(path, query)
    assert answer.status_code == 200, (path, answer.content)
    return answer.json()
