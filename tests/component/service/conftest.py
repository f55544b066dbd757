"""Three people with clear rights, two clusters, one flow, and a Redis of our own number."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import environ
import pytest
import redis
from django.contrib.auth.models import Group, User
from django.db import connections
from rest_framework.test import APIClient

from replication.config import ClusterDefinition, FlowDefinition, ReplicationConfig
from replication.config.tree import PropertyPlace
from replication.domain.connection_test.report import ConnectionReport, ConnectionTest
from replication.domain.errors import FatalError
from replication.domain.plan.slot import ClusterClient
from replication.domain.settings.registry.manager import SERVICE_TARGETS
from srm_service.audits.audit_differences import forget_differences
from srm_service.configuration.contracts import PropertyChange
from srm_service.configuration.services import apply_changes
from srm_service.core.auth.accounts import roles_ensure
from srm_service.core.clock import now_ms
from srm_service.core.kept import forget_kept
from srm_service.monitoring.flows.freshness import forget_store_state
from srm_service.monitoring.flows.live_state import forget_snapshot
from srm_service.monitoring.peers.merged import forget_reports
from srm_service.remote.selectors import forget_plan
from tests.support.configuration import config_import as config_import
from tests.support.rest.world import World, used_service
from tests.support.servers.postgres import postgres_url as postgres_url
from tests.support.servers.postgres import require_postgres
from tests.support.servers.redis import RunningRedis

PASSWORD = "a long password of the tests"
BOTH = pytest.mark.django_db(databases=["default", "metrics"])
_REDIS_NUMBER = 7  # the other tests of the session use 0


@pytest.fixture(scope="session")
def django_db_modify_db_settings(request: pytest.FixtureRequest) -> None:
    """Use a PostgreSQL server instead of SQLite if `SRM_TEST_DATABASE=postgresql` (make test-postgres)."""
    wanted = os.environ.get("SRM_TEST_DATABASE", "sqlite")
    if wanted == "sqlite":
        return
    if wanted != "postgresql":
        raise pytest.UsageError(f"SRM_TEST_DATABASE={wanted}: use sqlite or postgresql")
    require_postgres()
    server = environ.Env.db_url_config(request.getfixturevalue("postgres_url"))
    for alias in ("default", "metrics"):
        with suppress(AttributeError):  # a connection that was not used does not exist
            del connections[alias]
        connections.databases[alias] = {**server, "NAME": f"srm_{alias}"}
    connections.configure_settings(connections.databases)


@pytest.fixture(autouse=True)
def fresh_caches() -> Iterator[None]:
    """Clears values that the process caches for a second, so that no test sees those of another."""
    forgets = (forget_snapshot, forget_store_state, forget_differences, forget_kept, forget_reports, forget_plan)
    for forget in forgets:
        forget()
    yield
    for forget in forgets:
        forget()


@pytest.fixture
def live_redis(redis_server: RunningRedis, settings: Any) -> Iterator[redis.Redis]:
    """An empty Redis which the service uses."""
    url = redis_server.url.rsplit("/", 1)[0] + f"/{_REDIS_NUMBER}"
    settings.SRM_REDIS_URL = url
    client = redis.Redis.from_url(url, decode_responses=True)
    client.flushdb()
    yield client
    client.close()


def flow_definition(source: str, target: str, **changes: Any) -> FlowDefinition:
    values: dict[str, Any] = {"enabled": True, "heartbeats": True, "topics_allow": (".*",), **changes}
    return FlowDefinition(source=source, target=target, **values)


def configured(*flows: FlowDefinition) -> ReplicationConfig:
    aliases = sorted({alias for flow in flows for alias in (flow.source, flow.target)})
    clusters = tuple(
        ClusterDefinition(alias=alias, bootstrap=(f"127.0.0.1:{9000 + n}",)) for n, alias in enumerate(aliases)
    )
    return ReplicationConfig(clusters=clusters, flows=flows)


@pytest.fixture
def one_flow(db: None) -> str:
    """us-east->eu-central, enabled."""
    config_import(configured(flow_definition("us-east", "eu-central")))
    return "us-east->eu-central"


@pytest.fixture
def person(db: None) -> Callable[[str | None], APIClient]:
    """A client that is logged in as somebody of a role; None stands for somebody in no group."""

    def make(role: str | None) -> APIClient:
        roles_ensure()
        user = User.objects.create_user(f"somebody-{role}", password=PASSWORD)
        if role is not None:
            user.groups.add(Group.objects.get(name=role))
        client = APIClient(enforce_csrf_checks=False)
        client.force_login(user)
        return client

    return make


@pytest.fixture
def viewer(person: Callable[[str | None], APIClient]) -> APIClient:
    return person("viewer")


@pytest.fixture
def operator(person: Callable[[str | None], APIClient]) -> APIClient:
    return person("operator")


@pytest.fixture
def admin(person: Callable[[str | None], APIClient]) -> APIClient:
    return person("admin")


@pytest.fixture
def world(live_redis: redis.Redis, db: None, monkeypatch: pytest.MonkeyPatch, settings: Any) -> World:
    """A service that is in use. Its clusters do not exist: they answer at once that they cannot be reached."""

    def refused(client: ClusterClient, options: ConnectionTest) -> ConnectionReport:
        return ConnectionReport(error=f"{client.alias} cannot be reached")

    def unreachable(client: ClusterClient) -> Any:
        raise FatalError(f"{client.alias} cannot be reached")

    monkeypatch.setattr("srm_service.clusters.connection_tests.connection_report", refused)
    monkeypatch.setattr("srm_service.lists.services.control_topics", unreachable)
    monkeypatch.setattr("srm_service.planning.control_worker._patience_s", lambda _: 0.02)  # no control worker answers
    config_import(configured(flow_definition("us-east", "eu-central"), flow_definition("eu-central", "us-east")))
    service_targets("eu-central,us-east")
    return used_service(live_redis)


def service_targets(value: str) -> None:
    """Let this service report the flows into these clusters, of which V1 has the first."""
    change = PropertyChange(place=PropertyPlace(level="global", name=SERVICE_TARGETS.key), value=value)
    apply_changes([change], by="test", comment="")


def put(client: redis.Redis, *documents: tuple[str, str]) -> None:
    """Write documents as a driver does, and let the service read again."""
    for key, value in documents:
        client.set(key, value, px=15_000)
    forget_snapshot()


def at_ms() -> int:
    return now_ms()
