"""The desired state reaches the drivers: actions, publication, import."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import redis
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError, transaction
from rest_framework.test import APIClient

from replication.config.security.secrets import open_sealed
from replication.domain.desired.desired_document import DesiredDocument, desired_from_json
from srm_service.clusters.models import Cluster
from srm_service.configuration.forms.fields import cluster_changes
from srm_service.configuration.selectors import current_version
from srm_service.configuration.services import apply_changes
from srm_service.flows.jobs import publish_desired
from srm_service.flows.models import DesiredRevision, Flow
from srm_service.flows.publishing import publish, publish_all, publish_quietly
from srm_service.flows.services import flow_pause
from tests.component.service.conftest import BOTH, at_ms, config_import, configured, flow_definition

pytestmark = [BOTH, pytest.mark.redis]


def set_cluster(alias: str, bootstrap: tuple[str, ...], secrets: Mapping[str, str]) -> None:
    apply_changes(cluster_changes(alias, bootstrap=bootstrap, client=secrets), by="test", comment="")


_ACTIONS = "/api/v2/replications/us-east/eu-central/actions"


def _published(client: redis.Redis, target: str = "eu-central") -> DesiredDocument:
    document, rejected = desired_from_json(str(client.get(f"srm:desired:{target}")))
    assert rejected == ()
    return document


@pytest.mark.django_db(databases=["default", "metrics"], transaction=True)
def test_a_pause_reaches_redis_with_its_reason_and_a_nudge(
    operator: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    nudges = live_redis.pubsub(ignore_subscribe_messages=True)  # type: ignore[no-untyped-call]  # redis-py
    nudges.subscribe("srm:nudge")
    nudges.get_message(timeout=1.0)

    response = operator.post(_ACTIONS, {"action": "pause", "reason": "maintenance"}, format="json")

    flow = _published(live_redis).flows[0]
    nudge = nudges.get_message(timeout=2.0)
    nudges.close()
    assert response.json()["changed"] is True
    assert (flow.state, flow.pause and flow.pause.reason) == ("pause", "maintenance")
    assert nudge is not None
    assert nudge["data"] == f"eu-central {_published(live_redis).revision}"


@pytest.mark.django_db(databases=["default", "metrics"], transaction=True)
def test_a_resume_lets_the_flow_run_again(operator: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    operator.post(_ACTIONS, {"action": "pause", "reason": "maintenance"}, format="json")

    operator.post(_ACTIONS, {"action": "resume", "reason": "done"}, format="json")

    assert _published(live_redis).flows[0].state == "run"
    assert operator.get("/api/v2/replications").json()["items"][0]["status"] == "starting"


def test_a_dry_run_changes_nothing(operator: APIClient, one_flow: str) -> None:
    response = operator.post(_ACTIONS, {"action": "pause", "reason": "try", "dry_run": True}, format="json")

    assert response.json()["changed"] is True
    assert Flow.objects.get().state == "run"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"action": "explode", "reason": "x"}, 400),
        ({"action": "pause"}, 400),
        ({"action": "pause", "reason": "x", "until_ms": 1}, 400),
        ({"action": "resume", "reason": "x", "until_ms": 9_999_999_999}, 400),
        ({"action": "pause", "reason": "x", "until_ms": 10**18}, 400),
    ],
    ids=["unknown", "no reason", "end in the past", "resume with an end", "end out of this world"],
)
def test_a_nonsense_action_is_refused(operator: APIClient, one_flow: str, body: dict[str, Any], status: int) -> None:
    assert operator.post(_ACTIONS, body, format="json").status_code == status


def test_pausing_a_flow_that_is_switched_off_conflicts(operator: APIClient) -> None:
    config_import(configured(flow_definition("us-east", "eu-central", enabled=False)))

    response = operator.post(_ACTIONS, {"action": "pause", "reason": "x"}, format="json")

    assert response.status_code == 409
    assert "is disabled" in response.json()["detail"]


@pytest.mark.django_db(databases=["default", "metrics"], transaction=True)
def test_a_change_while_redis_is_away_is_kept_and_published_later(
    operator: APIClient, one_flow: str, live_redis: redis.Redis, settings: Any
) -> None:
    url, settings.SRM_REDIS_URL = settings.SRM_REDIS_URL, "redis://127.0.0.1:1/0"

    response = operator.post(_ACTIONS, {"action": "pause", "reason": "x"}, format="json")
    settings.SRM_REDIS_URL = url
    publish_desired()

    assert response.status_code == 200
    assert _published(live_redis).flows[0].state == "pause"


def test_a_pause_that_is_over_ends_by_itself(one_flow: str, live_redis: redis.Redis) -> None:
    past = datetime.now(UTC) - timedelta(seconds=1)
    flow_pause(source="us-east", target="eu-central", reason="x", by="me", until=past, dry_run=False)

    publish_desired()

    assert Flow.objects.get().state == "run"
    assert _published(live_redis).flows[0].state == "run"


def test_publishing_twice_writes_once(one_flow: str, live_redis: redis.Redis) -> None:
    assert publish("eu-central") is True
    assert publish("eu-central") is False


def test_an_emptied_redis_is_filled_again_under_the_same_revision(one_flow: str, live_redis: redis.Redis) -> None:
    publish("eu-central")
    before = _published(live_redis).revision
    live_redis.flushdb()

    publish_all()

    assert _published(live_redis).revision == before
    assert int(str(live_redis.get("srm:service:seen"))) == pytest.approx(at_ms(), abs=5_000)


def test_a_restored_database_does_not_take_the_revision_back(one_flow: str, live_redis: redis.Redis) -> None:
    publish("eu-central")
    config_import(configured(flow_definition("us-east", "eu-central", tasks_max=2)))
    publish("eu-central")
    DesiredRevision.objects.all().delete()

    publish("eu-central")

    assert _published(live_redis).revision == 3


def test_a_changed_secret_is_published_sealed(one_flow: str, live_redis: redis.Redis, settings: Any) -> None:
    publish("eu-central")
    secrets = {"sasl.jaas.config": "user and password"}
    set_cluster("us-east", ("127.0.0.1:9001",), secrets)

    assert publish("eu-central") is True

    text = str(live_redis.get("srm:desired:eu-central"))
    sealed = _published(live_redis).clusters["us-east"].secret
    assert "user and password" not in text
    assert open_sealed(settings.SRM_TRANSPORT_KEYS, str(sealed)) == secrets


def test_secrets_are_encrypted_in_the_database_and_never_shown(viewer: APIClient, one_flow: str) -> None:
    set_cluster("us-east", ("h:1",), {"ssl.key.password": "hidden-value"})

    answer = viewer.get("/api/v2/clusters/us-east")

    assert "hidden-value" not in Cluster.objects.get(alias="us-east").secrets
    assert "hidden-value" not in answer.content.decode()
    assert answer.json()["secret_names"] == ["ssl.key.password"]


def test_a_cluster_whose_secrets_cannot_be_read_leaves_the_other_flows_alone(
    live_redis: redis.Redis, settings: Any
) -> None:
    config_import(configured(flow_definition("us-east", "eu-central"), flow_definition("us-west", "eu-central")))
    set_cluster("us-west", ("h:1",), {"ssl.key.password": "x"})
    settings.SRM_SECRET_KEYS = (Fernet.generate_key().decode(),)

    publish_quietly()

    assert [flow.source for flow in _published(live_redis).flows] == ["us-east"]


def test_importing_the_same_file_again_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "mm2.properties"
    file.write_text(
        "clusters = a, b\na.bootstrap.servers = h:1\nb.bootstrap.servers = h:2\n"
        "a->b.enabled = true\na->b.topics = orders, pay.*\nb->a.enabled = false\ntasks.max = 3\n"
    )

    first, second = StringIO(), StringIO()
    call_command("import_properties", file, stdout=first)
    call_command("import_properties", file, stdout=second)

    flow = Flow.objects.get(source__alias="a", target__alias="b")
    assert (flow.topics_allow, flow.tasks_max, flow.enabled) == (["orders", "pay.*"], 3, True)
    assert "7 properties (7 changed), 2 clusters changed" in first.getvalue()
    assert "7 properties (0 changed), 0 clusters changed, 0 flows changed" in second.getvalue()
    assert current_version() == 1


def test_an_import_keeps_a_pause(one_flow: str) -> None:
    flow_pause(source="us-east", target="eu-central", reason="x", by="me", until=None, dry_run=False)

    config_import(configured(flow_definition("us-east", "eu-central", tasks_max=4)))

    flow = Flow.objects.get()
    assert (flow.state, flow.tasks_max) == ("pause", 4)


def test_a_broken_file_is_refused_with_every_error_and_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "mm2.properties"
    file.write_text("clusters = a, b\na.bootstrap.servers = h:1\na->b.enabled = true\na->b.tasks.max = many\n")

    with pytest.raises(CommandError) as error:
        call_command("import_properties", file)

    assert "b.bootstrap.servers" in str(error.value)
    assert "tasks.max" in str(error.value)
    assert not Cluster.objects.exists()


@pytest.mark.parametrize(
    "changes",
    [{"tasks_max": 0}, {"state": "dancing"}, {"policy_kind": "template"}, {"throttle_bytes_per_second": 0}],
    ids=["no tasks", "unknown state", "template without one", "no throughput at all"],
)
def test_the_database_rejects_an_invalid_flow(one_flow: str, changes: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Flow.objects.update(**changes)
