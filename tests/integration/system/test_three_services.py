"""Three services in three processes, each with its own target cluster, and what a gateway shows of all of them."""

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from replication.domain.plan.slot import ClusterClient
from replication.domain.services.advertisement import Advertisement
from srm_cli.machine.ports import free_port
from srm_cli.machine.processes import wait_until
from srm_service.core.clock import now_ms
from srm_service.wiring import service_advertisements
from tests.support.kafka.clusters import TwoClusters
from tests.support.servers.member import Member, Start, starting_members
from tests.support.servers.peer import Answer, PeerHandler, ScriptedPeer, running_peer, says, slow
from tests.support.servers.redis import RunningRedis
from tests.support.servers.service import RunningService, running_service

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.large, pytest.mark.timeout(300)]

_HOUR_MS = 3_600_000


@pytest.fixture
def bootstraps(two_clusters: TwoClusters) -> dict[str, str]:
    return {
        "us-east": "127.0.0.1:1",  # no service connects to it
        "eu-central": "127.0.0.1:2",
        "ap-south": two_clusters.source.bootstrap,
        "us-west": two_clusters.target.bootstrap,
    }


@pytest.fixture
def start(tmp_path: Path, redis_server: RunningRedis, bootstraps: dict[str, str]) -> Iterator[Start]:
    with starting_members(tmp_path, redis_server.url, bootstraps) as begin:
        yield begin


@pytest.fixture
def peer() -> Iterator[ScriptedPeer]:
    with running_peer() as running:
        yield running


@pytest.fixture
def silent() -> Iterator[ScriptedPeer]:
    with running_peer() as running:
        running.always = slow(says({}), 10.0)
        yield running


def an_hour_ahead(service: RunningService) -> Answer:
    """Answer as the service does, by a clock that is an hour ahead: a proxy between both."""

    def answer(handler: PeerHandler) -> None:
        headers = {"Authorization": handler.headers["Authorization"]}
        reply = httpx.get(f"{service.url}{handler.path}", headers=headers, trust_env=False, timeout=10.0)
        body = reply.json()
        if "time_ms" in body:
            body["time_ms"] += _HOUR_MS
        for flow in body["flows"] if isinstance(body.get("flows"), list) else []:
            flow["status"]["since_ms"] = flow["status"]["since_ms"] and flow["status"]["since_ms"] + _HOUR_MS
        handler.send(reply.status_code, json.dumps(body).encode())

    return answer


def advertise(bootstrap: str, name: str, port: int, *, started_ms: int, host: str = "127.0.0.1") -> str:
    """Write an advertisement of a service in us-west; returns its address."""
    known = service_advertisements(ClusterClient(alias="us-west", bootstrap=(bootstrap,), client={}))
    forged = Advertisement(
        id=f"{name}.1",
        protocol="http",
        host=host,
        port=port,
        targets=("us-west",),
        version="0.1.0",
        started_ms=started_ms,
        sent_ms=now_ms(),
        interval_ms=60_000,
    )
    try:
        known.advertise(forged, replication_factor=1)
    finally:
        known.close()
    return forged.address


def shown(answer: Any) -> dict[str, tuple[float | None, str | None]]:
    """The rate and the service of each enabled flow, by its target; the files make disabled ones of all other pairs."""
    return {
        flow["target"]: (flow["metrics"]["records_per_second"]["latest"], flow["service"])
        for flow in answer["items"]
        if flow["status"] != "disabled"
    }


def without_time(answer: Any) -> list[dict[str, Any]]:
    """The topics of a list, without the time of their reading."""
    return [{name: value for name, value in topic.items() if name != "updated_ms"} for topic in answer["items"]]


def without_ages(answer: Any) -> list[dict[str, Any]]:
    """The flows of a list, without the ages of their reports, which grow between two readings."""
    return [{name: value for name, value in flow.items() if not name.endswith("_age_ms")} for flow in answer["items"]]


def test_a_gateway_shows_the_flows_of_all_and_names_each_service_that_fails(
    start: Start, peer: ScriptedPeer, silent: ScriptedPeer, bootstraps: dict[str, str]
) -> None:
    ap_south = start("ap-south", 20.0, SRM_ADVERTISED_ADDRESS=peer.address)
    peer.always = an_hour_ahead(ap_south.service)
    us_west = start("us-west", 30.0)
    stopped = free_port()
    addresses = [peer.address, us_west.service.url, silent.address, f"http://127.0.0.1:{stopped}"]
    remote = {"remote": "ap-south,us-west", "SRM_REMOTE_ADDRESSES": ",".join(addresses)}
    gateway = start("eu-central", 10.0, SRM_ADVERTISED_ADDRESS="none", **remote)
    us_west.follow()
    ap_south.follow()
    advertise(bootstraps["us-west"], "silent", silent.port, started_ms=1)
    advertise(bootstraps["us-west"], "stopped", stopped, started_ms=2)
    forged = advertise(bootstraps["us-west"], "forged", 80, started_ms=0, host="evil.example")
    for address in addresses:
        gateway.trust(
            address, {peer.address: ap_south, us_west.service.url: us_west}.get(address, us_west).peer_token()
        )
    gateway.follow()
    for member in (gateway, ap_south, us_west):
        member.report()
    time.sleep(2.1)  # the plan of who is asked is kept for two seconds

    began_s = time.monotonic()
    answer = gateway.ask("replications")
    took_s = time.monotonic() - began_s

    assert shown(answer) == {
        "ap-south": (20.0, peer.address),
        "eu-central": (10.0, None),
        "us-west": (30.0, us_west.service.url),
    }
    assert took_s < 2.0
    reasons = {part["peer"]: part["error"] for part in answer["partial"]}
    assert "s ahead of that of this service" in reasons[peer.address]
    assert "does not answer within" in reasons[silent.address]
    assert "cannot be reached" in reasons[f"http://127.0.0.1:{stopped}"]
    assert "SRM_REMOTE_ADDRESSES" in reasons[forged]
    for member in (ap_south, us_west):
        path = f"replications/us-east/{member.target}/topics"
        assert without_time(gateway.ask(path)) == without_time(member.ask(path)) != []

    listed = {each["address"]: each for each in gateway.ask("remote-services")["items"]}
    assert listed[forged]["use"] == "not_allowed"
    us_west.running.close()
    # an answer may be a second old, and so may those of the other services in it
    assert wait_until(
        lambda: us_west.service.url in {part["peer"] for part in gateway.ask("replications")["partial"]}, 4.0
    )


def test_two_instances_on_one_database_answer_alike_and_one_may_die(start: Start) -> None:
    first = start("eu-central", 10.0)
    env = {"SRM_REDIS_URL": first.service.env["SRM_REDIS_URL"]}
    with running_service(first.service.home, env["SRM_REDIS_URL"]) as other:
        second = Member(target="eu-central", rate=10.0, service=other, client=first.client, running=ExitStack())
        first.report()
        assert shown(first.ask("replications")) == {"eu-central": (10.0, None)}
        assert without_ages(first.ask("replications")) == without_ages(second.ask("replications"))
        own = [member.ask("remote-services")["own"]["id"] for member in (first, second)]
        assert own[0].split(".")[0] == own[1].split(".")[0]
        assert own[0] != own[1]
        os.kill(first.service.pid, signal.SIGKILL)

        second.report()
        assert shown(second.ask("replications")) == {"eu-central": (10.0, None)}
        with pytest.raises(httpx.TransportError):
            first.ask("replications")
