"""A service that is in use: flows with live reports, metrics, orders and audits, so that every address exists."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import redis
from django.contrib.auth.models import User
from django.utils import timezone

from replication.config.tree.properties import PropertyPlace
from srm_service.configuration.contracts import PropertyChange
from srm_service.configuration.drafts import draft_create
from srm_service.core.clock import now_ms
from srm_service.flows.models import Flow, FlowAction
from srm_service.flows.orders import flow_throttle_set, hold_set, resets_request
from srm_service.flows.publishing import publish_quietly
from srm_service.monitoring.flows.live_state import forget_snapshot
from srm_service.monitoring.models import AuditFinding, AuditRun, JobRequest
from srm_service.people.personal.saved_views import view_create
from srm_service.people.tokens import token_create
from srm_service.trail.models import TrailEntry
from tests.support.drivers import live_documents as live
from tests.support.drivers.group_summaries import publish, summary
from tests.support.metrics import tiles
from tests.support.metrics.tiles import event

SOURCE, TARGET = "us-east", "eu-central"
PEER = "https://peer.example:443"  # which the settings of tests allow to ask
_PAIR = (SOURCE, TARGET)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """`known` are values of path and query parameters that exist."""

    client: redis.Redis
    known: dict[str, str]

    def report(self) -> None:
        """Let the drivers report now; reports are forgotten after ten seconds."""
        at_ms = now_ms()
        documents = (
            live.source_task(*_PAIR, at_ms),
            live.plan_task(*_PAIR, at_ms),
            live.heartbeat_task(*_PAIR, at_ms),
            live.checkpoint_task(*_PAIR, at_ms),
            live.plan_document(*_PAIR, at_ms),
            live.driver("driver-1", "data", at_ms),
            live.driver("driver-1", "control", at_ms),
        )
        for key, value in documents:
            self.client.set(key, value, px=15_000)
        publish(self.client, *_PAIR, summary(*_PAIR, at_ms))
        forget_snapshot()


def used_service(client: redis.Redis) -> World:
    """Fill the database and Redis; the flows us-east->eu-central and back exist already."""
    at_ms = now_ms() - now_ms() % 10_000
    for topic, level in (("", "flow"), ("orders", "topic"), ("payments", "topic")):
        series = tiles.series(*_PAIR, topic)
        tiles.tile(series, at_ms - 60_000, level=level, latencies_ms=[5, 50], ages_ms=[9])  # type: ignore[arg-type]
    for number in range(3):
        tiles.now_row(tiles.series(*_PAIR, "orders", partition=number), at_ms, covered_to=93, log_end=100)
    tiles.group_row(*_PAIR, "payments", "orders", at_ms)
    flow_throttle_set(source=SOURCE, target=TARGET, bytes_per_second=1_000_000, by="me")
    holds = [
        hold_set(source=SOURCE, target=TARGET, topic="orders", partition=number, until=None, reason="", by="me")
        for number in (None, 1, 2)
    ]
    resets = resets_request(
        source=SOURCE, target=TARGET, topic="orders", partitions=[0, 1, 2], to={"offset": 7}, by="me"
    )
    for number in range(5):
        tiles.gap(*_PAIR, "orders", at_ms - number * 1_000)
        event(*_PAIR, at_ms - number * 1_000, topic="orders" if number % 2 else None)
    audit = [_audit(at_ms - number * 1_000) for number in (3, 2, 1)][-1]
    publish_quietly()
    known = {
        "source": SOURCE,
        "target": TARGET,
        "alias": SOURCE,
        "metric": "lag_offsets",
        "upstream_topic": "orders",
        "downstream_topic": "us-east.orders",
        "audit_id": str(audit),
        "hold_id": str(holds[0].hold.id),
        "reset_id": resets[0].id,
        "name": _bystander().username,
        "prefix": "nothing",
        "ended": "nothing",
        "entry_id": str(TrailEntry.objects.latest("id").pk),
        "draft_id": str(_draft()),
        "q": "orders",
        "number": "1",
        "from": "0",
        "to": "1",
        "kind": "topics",
        "group": "payments",
        "topic": "orders",
        "driver_id": "driver-1",
        "address": PEER,
        "partition": "0",
        "offset": "1",
        "view_id": _view_of_the_bystander(),
        "action_id": str(FlowAction.objects.filter(flow=Flow.objects.get(source__alias=SOURCE)).latest("id").pk),
    }
    world = World(client=client, known=known)
    world.report()
    return world


def _draft() -> int:
    """Store three drafts; returns the id of one."""
    place = PropertyPlace(level="flow", source=SOURCE, target=TARGET, name="tasks.max")
    changes = [PropertyChange(place=place, value="4")]
    return [draft_create(name=f"draft {number}", author="me", changes=changes).id for number in (1, 2, 3)][-1]


def _bystander() -> User:
    """Return a user whom no test needs afterwards, with a token."""
    user = User.objects.create_user("bystander", password="a long password of a bystander")
    expires_at = timezone.now() + timedelta(hours=1)
    token_create(owner=user, role="viewer", name="ci", scopes=["read"], expires_at=expires_at, by="me")
    return user


def _view_of_the_bystander() -> str:
    view = view_create(owner="bystander", values={"name": "lagging", "page": "overview", "query": "q=x"}, by="me")
    return str(view.id)


def _audit(at_ms: int) -> int:
    """Store an audit of two topics with findings, as the metrics process does."""
    spec = {"source": SOURCE, "target": TARGET, "topics": [["orders", "us-east.orders"]], "requested_ms": at_ms}
    progress = json.dumps({"done": 1.0, "text": "1 of 1"})
    job = JobRequest.objects.create(kind="audit", target=TARGET, state="done", spec=json.dumps(spec), progress=progress)
    counts: dict[str, Any] = dict.fromkeys(("missing", "duplicate", "changed", "reordered", "unexpected"), 0)
    AuditRun.objects.create(
        job_id=job.id,
        source=SOURCE,
        target=TARGET,
        topic="orders",
        remote_topic="us-east.orders",
        state="done",
        mode="full",
        compared="records",
        started_ms=at_ms,
        ended_ms=at_ms + 500,
        not_compared="[]",
        proven_until_ms=None,
        records_source=10,
        records_target=7,
        ranges=2,
        ranges_bad=1,
        local_records=0,
        **{**counts, "missing": 3},
    )
    for offset in (1, 4, 9):
        AuditFinding.objects.create(
            job_id=job.id,
            topic="orders",
            partition=offset % 2,
            kind="missing",
            source_offset=offset,
            target_offset=None,
            records=offset,
            detail="not found",
        )
    return int(job.id)
