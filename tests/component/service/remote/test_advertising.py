"""This service advertises itself in its targets, and reads what others advertise in remote targets."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from replication.domain.errors import AuthorizationError
from replication.domain.services.advertisement import Advertisement
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryProducer
from srm_service.configuration.rotation import rotate_secrets
from srm_service.core.clock import now_ms
from srm_service.remote import following, jobs
from srm_service.remote.following import AdvertisementFollower, ClusterWork
from srm_service.remote.models import AdvertisedCluster, PeerCredential, SeenService
from srm_service.remote.selectors import forget_plan, peer_plan
from srm_service.remote.services import credential_set, own_service
from tests.component.service.conftest import BOTH
from tests.component.service.remote.conftest import REMOTE_TARGETS, advertisements_of, set_global
from tests.support.rest.world import PEER

pytestmark = BOTH

_TOPIC = "srm-service-heartbeats.internal"
_OTHER = Advertisement(
    id="other.1",
    protocol="https",
    host="peer.example",
    port=443,
    targets=("ap-south",),
    version="9.9",
    started_ms=1,
    sent_ms=1,
    interval_ms=10_000,
)


def follow_all(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Do what the job starts, in this thread."""
    works: list[ClusterWork] = []

    def start(found: Mapping[str, ClusterWork]) -> None:
        works.extend(found.values())

    monkeypatch.setattr(following.follower, "start", start)
    jobs.advertise()
    forget_plan()
    return [AdvertisementFollower().follow(work) for work in works]


def advertise(cluster: MemoryCluster, *others: Advertisement) -> None:
    for other in others:
        advertisements_of(cluster).advertise(replace(other, sent_ms=now_ms()), replication_factor=1)


def listed(client: APIClient) -> Any:
    answer = client.get("/api/v2/remote-services")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_service_advertises_itself_in_its_targets_only(
    gateway: dict[str, MemoryCluster], monkeypatch: pytest.MonkeyPatch, viewer: APIClient
) -> None:
    assert follow_all(monkeypatch) == [True, True]

    (seen,) = advertisements_of(gateway["eu-central"]).read().services.values()
    assert seen.advertisement.targets == ("eu-central",)
    assert seen.advertisement.address == "http://127.0.0.1:6670"
    assert seen.advertisement.id.startswith(f"{own_service()}.")
    assert _TOPIC not in gateway["ap-south"].topics
    own = listed(viewer)["own"]
    assert (own["id"], own["address"]) == (seen.advertisement.id, "http://127.0.0.1:6670")


def test_without_an_address_nothing_is_advertised(
    gateway: dict[str, MemoryCluster], monkeypatch: pytest.MonkeyPatch, settings: Any, viewer: APIClient
) -> None:
    settings.SRM_REMOTE = replace(settings.SRM_REMOTE, advertised="")

    follow_all(monkeypatch)

    assert all(_TOPIC not in cluster.topics for cluster in gateway.values())
    assert listed(viewer)["own"]["address"] is None


def test_a_service_that_is_allowed_and_has_a_token_is_asked_for_its_cluster(
    gateway: dict[str, MemoryCluster], monkeypatch: pytest.MonkeyPatch, viewer: APIClient
) -> None:
    advertise(gateway["ap-south"], _OTHER)
    follow_all(monkeypatch)
    before = listed(viewer)["items"][0]
    credential_set(address="https://PEER.example/", token="srm_secret", by="test")
    forget_plan()

    (after,) = listed(viewer)["items"]

    assert (before["use"], before["is_first"]) == ("no_credential", False)
    assert "services trust" in before["problem"]
    assert (after["use"], after["is_first"], after["problem"]) == ("asked", True, None)
    assert (after["address"], after["cluster"], after["state"]) == (PEER, "ap-south", "live")
    assert (after["version"], after["is_other_version"]) == ("9.9", True)
    assert peer_plan().by_target == {"ap-south": (PEER,)}
    assert peer_plan().tokens == {PEER: "srm_secret"}


def test_forged_advertisements_are_shown_and_never_asked(
    gateway: dict[str, MemoryCluster], monkeypatch: pytest.MonkeyPatch, viewer: APIClient
) -> None:
    credential_set(address=PEER, token="srm_secret", by="test")
    elsewhere = replace(_OTHER, id="a.1", host="peer.example.evil")
    plain = replace(_OTHER, id="b.1", protocol="http", port=80)
    deeper = replace(_OTHER, id="c.1", root_path="/collect")
    too_much = replace(_OTHER, id="d.1", targets=("eu-central",))
    as_ourselves = replace(_OTHER, id=f"{own_service()}.x", host="10.0.0.1")
    advertise(gateway["ap-south"], elsewhere, plain, deeper, too_much, as_ourselves)
    writer = MemoryProducer(gateway["ap-south"])
    writer.send(_TOPIC, key=b"e.1", value=b"{", partition=0)
    writer.flush()

    follow_all(monkeypatch)

    answer = listed(viewer)
    uses = {item["address"]: item["use"] for item in answer["items"]}
    assert uses == {
        "https://peer.example.evil:443": "not_allowed",
        "http://peer.example:80": "not_allowed",
        "https://peer.example:443/collect": "not_allowed",
        PEER: "other_target",
    }
    assert peer_plan().by_target == {}
    assert peer_plan().tokens == {}
    assert set(peer_plan().refused) == uses.keys()
    assert [cluster["refused"] for cluster in answer["clusters"] if cluster["refused"]] == [
        {"e.1": "service advertisement: the value is not JSON"}
    ]


def test_a_flood_of_forged_advertisements_hides_no_allowed_service(
    gateway: dict[str, MemoryCluster], monkeypatch: pytest.MonkeyPatch
) -> None:
    forged = [replace(_OTHER, id=f"{number}.1", host=f"h{number}.example") for number in range(150)]
    advertise(gateway["ap-south"], _OTHER, *forged)

    follow_all(monkeypatch)

    assert SeenService.objects.count() == 100
    assert SeenService.objects.filter(service="other.1").exists()


def test_a_cluster_that_cannot_be_read_is_named_and_what_was_read_remains(
    gateway: dict[str, MemoryCluster], monkeypatch: pytest.MonkeyPatch, viewer: APIClient
) -> None:
    advertise(gateway["ap-south"], _OTHER)
    follow_all(monkeypatch)

    def refused(client: Any) -> Any:
        raise AuthorizationError(f"{client.alias} refuses")

    monkeypatch.setattr("srm_service.remote.following.service_advertisements", refused)
    assert follow_all(monkeypatch) == [False, False]

    answer = listed(viewer)
    assert [(part["peer"], part["error"]) for part in answer["partial"]] == [("ap-south", "ap-south refuses")]
    assert len(answer["items"]) == 1
    assert AdvertisedCluster.objects.get(alias="eu-central").send_error == "eu-central refuses"


def test_a_cluster_that_is_no_remote_target_any_more_is_forgotten(
    gateway: dict[str, MemoryCluster], monkeypatch: pytest.MonkeyPatch
) -> None:
    advertise(gateway["ap-south"], _OTHER)
    follow_all(monkeypatch)
    set_global(REMOTE_TARGETS, "")

    follow_all(monkeypatch)

    assert not SeenService.objects.exists()
    assert peer_plan().remote_targets == ()


def test_a_token_is_stored_sealed_answered_nowhere_and_resealed(
    gateway: dict[str, MemoryCluster], admin: APIClient, settings: Any
) -> None:
    body = {"address": "https://peer.example", "token": "srm_secret_of_the_peer"}

    answer = admin.put("/api/v2/remote-services/credential", body, format="json")

    assert (answer.status_code, answer.json()) == (200, {"address": PEER})
    sealed = PeerCredential.objects.get().sealed
    with connection.cursor() as cursor:
        cursor.execute("SELECT sealed, address, set_by FROM remote_peercredential")
        assert "srm_secret_of_the_peer" not in str(cursor.fetchall())
    assert "srm_secret_of_the_peer" not in admin.get("/api/v2/remote-services").content.decode()
    assert "srm_secret_of_the_peer" not in admin.get("/api/v2/trail").content.decode()
    rotate_secrets()
    assert PeerCredential.objects.get().sealed != sealed


@pytest.mark.parametrize("address", ["https://peer.example.evil", "http://peer.example:443", "peer.example", "x" * 501])
def test_no_token_is_stored_for_an_address_that_may_not_be_asked(admin: APIClient, db: None, address: str) -> None:
    answer = admin.put("/api/v2/remote-services/credential", {"address": address, "token": "t"}, format="json")

    assert answer.status_code == 400
    assert not PeerCredential.objects.exists()
