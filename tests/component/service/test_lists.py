"""Allow and deny lists: REST writes to the control topic, the service reads it back, drivers get the result."""

from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from replication.domain.desired.desired_document import DesiredFlow, desired_from_json
from replication.domain.desired.name_lists import list_changes
from replication.domain.errors import AuthorizationError
from replication.domain.names.internal_topics import CONTROL
from replication.domain.plan.slot import ClusterClient
from replication.lists.control_topic import ControlTopics
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryProducer, MemoryRecordLog
from srm_service.flows.publishing import publish_all
from srm_service.flows.selectors import flow_list
from srm_service.lists import following, services
from srm_service.lists.following import ListFollower
from srm_service.trail.models import TrailEntry
from tests.component.service.conftest import BOTH, config_import, configured, flow_definition

pytestmark = [BOTH, pytest.mark.redis]

_LISTS = "/api/v2/replications/us-east/eu-central/lists"
_TOPIC = CONTROL.name("us-east")


def topics_of(cluster: MemoryCluster) -> ControlTopics:
    return ControlTopics(MemoryAdmin(cluster), MemoryRecordLog(cluster), MemoryProducer(cluster))


def client(alias: str) -> ClusterClient:
    return ClusterClient(alias=alias, bootstrap=("127.0.0.1:1",))


@pytest.fixture
def clusters(monkeypatch: pytest.MonkeyPatch) -> dict[str, MemoryCluster]:
    """The target clusters by alias, instead of brokers."""
    known = {alias: MemoryCluster(alias) for alias in ("eu-central", "us-west")}

    def opened(wanted: ClusterClient) -> ControlTopics:
        return topics_of(known[wanted.alias])

    monkeypatch.setattr(services, "control_topics", opened)
    monkeypatch.setattr(following, "control_topics", opened)
    return known


@pytest.fixture
def idle_flow(db: None) -> str:
    """us-east->eu-central without properties that allow topics."""
    config_import(configured(flow_definition("us-east", "eu-central", topics_allow=())))
    return "us-east->eu-central"


def published(live: redis.Redis, target: str = "eu-central") -> DesiredFlow:
    document, rejected = desired_from_json(str(live.get(f"srm:desired:{target}")))
    assert rejected == ()
    return document.flows[0]


def write_elsewhere(cluster: MemoryCluster, *records: tuple[bytes, bytes | None]) -> None:
    """Write to the control topic as another program does."""
    producer = MemoryProducer(cluster)
    for key, value in records:
        producer.send(_TOPIC, key=key, value=value)
    producer.flush()


def test_a_change_is_written_read_back_and_published(
    operator: APIClient, idle_flow: str, live_redis: redis.Redis, clusters: dict[str, MemoryCluster]
) -> None:
    body = {"add": ["orders.*", "payments"], "add_denied": ["orders-tmp"]}

    answer = operator.post(f"{_LISTS}/topics", body, format="json")

    assert answer.status_code == 200
    listed = [(row["pattern"], row["offset"], row["by"]) for row in answer.json()["allow"]]
    assert listed == [("orders.*", 0, "somebody-operator"), ("payments", 1, "somebody-operator")]
    assert [row["pattern"] for row in answer.json()["deny"]] == ["orders-tmp"]
    assert answer.json()["control_offset"] == 2
    flow = published(live_redis)
    assert (flow.topics.allow, flow.topics.deny) == (("orders.*", "payments"), ("orders-tmp",))
    assert flow.control_offset == 2
    assert operator.get(f"{_LISTS}/topics").json() == answer.json()
    assert flow_list()[0].allows_topics is True
    entry = TrailEntry.objects.get(action="flow.change_lists")
    assert (entry.actor, entry.subject) == ("somebody-operator", "us-east->eu-central")
    assert entry.after is not None
    assert [each["pattern"] for each in entry.after["added"]] == ["orders.*", "payments", "orders-tmp"]


def test_a_removed_pattern_leaves_the_flow_with_its_properties(
    operator: APIClient, one_flow: str, live_redis: redis.Redis, clusters: dict[str, MemoryCluster]
) -> None:
    operator.post(f"{_LISTS}/topics", {"add": ["a"], "add_denied": ["b"]}, format="json")
    assert (published(live_redis).topics.allow, published(live_redis).topics.deny) == ((".*", "a"), ("b",))

    operator.post(f"{_LISTS}/topics", {"remove": ["a"], "remove_denied": ["b"]}, format="json")

    assert (published(live_redis).topics.allow, published(live_redis).topics.deny) == ((".*",), ())
    assert published(live_redis).control_offset == 3


def test_patterns_that_the_topic_has_already_are_read_and_not_written_again(
    operator: APIClient, idle_flow: str, live_redis: redis.Redis, clusters: dict[str, MemoryCluster]
) -> None:
    known = list_changes("topics", add=["orders"])
    topics_of(clusters["eu-central"]).write("us-east", known, by="bob", replication_factor=1)

    answer = operator.post(f"{_LISTS}/topics", {"add": ["orders"]}, format="json").json()

    assert [(row["pattern"], row["offset"], row["by"]) for row in answer["allow"]] == [("orders", 0, "bob")]
    assert (answer["control_offset"], published(live_redis).topics.allow) == (0, ("orders",))


def test_groups_are_a_list_of_their_kind(
    operator: APIClient, idle_flow: str, live_redis: redis.Redis, clusters: dict[str, MemoryCluster]
) -> None:
    operator.post(f"{_LISTS}/groups", {"add": [".*"]}, format="json")

    assert published(live_redis).groups.allow == (".*",)
    assert published(live_redis).topics.allow == ()
    assert flow_list()[0].allows_topics is False


def test_changes_of_others_show_up_and_bad_ones_are_reported(
    operator: APIClient, idle_flow: str, live_redis: redis.Redis, clusters: dict[str, MemoryCluster]
) -> None:
    operator.post(f"{_LISTS}/topics", {"add": ["a"]}, format="json")
    written = (b"topics:allow:b", b'{"v":1,"by":"bob"}'), (b"topics:allow:(", b""), (b"what", b"?")
    write_elsewhere(clusters["eu-central"], *written)

    assert ListFollower().follow(client("eu-central")) is True

    answer = operator.get(f"{_LISTS}/topics").json()
    assert [(row["pattern"], row["by"], row["problem"] is None) for row in answer["allow"]] == [
        ("(", "", False),
        ("a", "somebody-operator", True),
        ("b", "bob", True),
    ]
    assert [row["offset"] for row in answer["unreadable"]] == [3]
    assert published(live_redis).topics.allow == ("a", "b")
    assert ListFollower().follow(client("eu-central")) is False


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"add": ["("]}, "is not a valid regular expression"),
        ({"add": ["a(?=b)"]}, "a(?=b)"),
        ({"add": [""]}, "add"),
        ({"add": [" a"]}, "has blanks around it"),
        ({"add": ["a"], "remove": ["a"]}, "choose one"),
        ({"add": "a"}, "add"),
        ({"add": [1, None]}, "add"),
        ({"add": ["x" * 501]}, "500"),
        ({"add": ["\u0001"]}, "control characters"),
        ({"allow": ["a"]}, "allow: This is no field"),
        ({}, "name at least one pattern"),
        ([], "Invalid data"),
    ],
)
def test_nonsense_is_refused_and_nothing_is_written(
    operator: APIClient, idle_flow: str, clusters: dict[str, MemoryCluster], body: Any, text: str
) -> None:
    answer = operator.post(f"{_LISTS}/topics", body, format="json")

    assert answer.status_code == 400
    assert text in str(answer.json())
    assert clusters["eu-central"].topics == {}


def test_a_dry_run_checks_the_patterns_and_writes_nothing(
    operator: APIClient, idle_flow: str, clusters: dict[str, MemoryCluster]
) -> None:
    good = operator.post(f"{_LISTS}/topics", {"add": ["a"], "dry_run": True}, format="json")
    bad = operator.post(f"{_LISTS}/topics", {"add": ["("], "dry_run": True}, format="json")

    assert (good.status_code, bad.status_code) == (200, 400)
    assert clusters["eu-central"].topics == {}


@pytest.mark.parametrize("path", [f"{_LISTS}/topic", "/api/v2/replications/x/y/lists/topics"])
def test_an_unknown_list_or_flow_is_not_found(operator: APIClient, idle_flow: str, path: str) -> None:
    assert operator.get(path).status_code == 404
    assert operator.post(path, {"add": ["a"]}, format="json").status_code == 404


def test_a_viewer_reads_and_does_not_change(viewer: APIClient, idle_flow: str) -> None:
    assert viewer.get(f"{_LISTS}/topics").status_code == 200
    assert viewer.post(f"{_LISTS}/topics", {"add": ["a"]}, format="json").status_code == 403


def test_a_dead_target_loses_nothing_and_leaves_other_targets_alone(
    operator: APIClient, live_redis: redis.Redis, clusters: dict[str, MemoryCluster]
) -> None:
    both = (flow_definition("us-east", alias, topics_allow=()) for alias in ("eu-central", "us-west"))
    config_import(configured(*both))
    operator.post(f"{_LISTS}/topics", {"add": ["a"]}, format="json")
    clusters["eu-central"].is_up = False
    follower = ListFollower()

    refused = operator.post(f"{_LISTS}/topics", {"add": ["b"]}, format="json")
    follower.follow(client("eu-central"))
    other = operator.post("/api/v2/replications/us-east/us-west/lists/topics", {"add": ["c"]}, format="json")

    assert refused.status_code == 503
    assert "us-east->eu-central are not changed" in refused.json()["detail"]
    shown = operator.get(f"{_LISTS}/topics").json()
    assert [row["pattern"] for row in shown["allow"]] == ["a"]
    assert "eu-central" in shown["problem"]
    publish_all()
    assert published(live_redis).topics.allow == ("a",)
    assert other.status_code == 200
    clusters["eu-central"].is_up = True
    follower.follow(client("eu-central"))
    assert operator.get(f"{_LISTS}/topics").json()["problem"] is None


def test_a_deleted_control_topic_keeps_the_lists_and_the_next_change_writes_them_again(
    operator: APIClient, idle_flow: str, live_redis: redis.Redis, clusters: dict[str, MemoryCluster]
) -> None:
    operator.post(f"{_LISTS}/topics", {"add": ["a"]}, format="json")
    clusters["eu-central"].topics.clear()

    ListFollower().follow(client("eu-central"))

    assert _TOPIC in operator.get(f"{_LISTS}/topics").json()["problem"]
    assert published(live_redis).topics.allow == ("a",)
    answer = operator.post(f"{_LISTS}/topics", {"add": ["b"]}, format="json").json()
    assert ([row["pattern"] for row in answer["allow"]], answer["problem"]) == (["a", "b"], None)


def test_a_control_topic_that_may_not_be_read_stops_no_other(
    operator: APIClient,
    live_redis: redis.Redis,
    clusters: dict[str, MemoryCluster],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config_import(configured(*(flow_definition(alias, "eu-central", topics_allow=()) for alias in ("us-east", "z"))))
    writer = topics_of(clusters["eu-central"])
    for source in ("us-east", "z"):
        writer.write(source, list_changes("topics", add=(source,)), by="bob", replication_factor=1)
    read = ControlTopics.read

    def forbidden(topics: ControlTopics, source: str) -> Any:
        if source == "us-east":
            raise AuthorizationError("READ is missing", cluster="eu-central")
        return read(topics, source)

    monkeypatch.setattr(ControlTopics, "read", forbidden)
    ListFollower().follow(client("eu-central"))

    assert operator.get(f"{_LISTS}/topics").json()["problem"] == "READ is missing"
    other = operator.get("/api/v2/replications/z/eu-central/lists/topics").json()
    assert [row["pattern"] for row in other["allow"]] == ["z"]
