"""Services in separate processes that know each other; live documents in Redis stand for their drivers."""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import redis

from srm_service.core.clock import now_ms
from tests.support.drivers import live_documents as live
from tests.support.servers.service import RunningService, running_service

_KEY = "streams.replication.manager.service"
_FOLLOW = """
from srm_service.remote import jobs
works = []
jobs.follower.start = lambda found: works.extend(found.values())
jobs.advertise()
print("followed", [jobs.follower.follow(work) for work in works])
"""


@dataclass(slots=True)
class Member:
    """A service with the flow us-east->`target`; `rate` are the records per second that its driver reports."""

    target: str
    rate: float
    service: RunningService
    client: redis.Redis
    running: ExitStack
    tokens: dict[str, str] = field(default_factory=dict)

    def report(self) -> None:
        now, flow = now_ms(), ("us-east", self.target)
        task = live.source_task(*flow, now, records_per_second=self.rate)
        for key, value in (task, live.plan_task(*flow, now), live.heartbeat_task(*flow, now)):
            self.client.set(key, value, px=60_000)

    def ask(self, path: str, **query: str) -> Any:
        answer = self._http().get(f"/api/v2/{path}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def peer_token(self) -> str:
        answer = self._http().post("/api/v2/tokens", json={"name": "gateway", "scopes": ["peer"]})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["token"])

    def trust(self, address: str, token: str) -> None:
        body = {"address": address, "token": token}
        answer = self._http().put("/api/v2/remote-services/credential", json=body)
        assert answer.status_code == 200, answer.text

    def follow(self) -> None:
        """Advertise the service and read the advertisements of others, as its maintenance worker does."""
        assert "followed" in self.service.manage("shell", "-c", _FOLLOW)

    def restart(self) -> None:
        """Start the service again at its address, after it was killed."""
        env = self.service.env
        again = running_service(self.service.home, env["SRM_REDIS_URL"], SRM_PORT=env["SRM_PORT"])
        self.service = self.running.enter_context(again)

    def _http(self) -> httpx.Client:
        auth = ("admin", self.service.admin_password)
        return httpx.Client(base_url=self.service.url, auth=auth, trust_env=False, timeout=10.0)


Start = Callable[..., Member]


@contextmanager
def starting_members(folder: Path, redis_url: str, bootstraps: Mapping[str, str]) -> Iterator[Start]:
    """`start("ap-south", 20.0)`: a service that reports us-east->ap-south. `bootstraps` are by alias."""
    numbers = iter(range(8, 16))
    with ExitStack() as all_running:

        def start(target: str, rate: float, *, remote: str = "", home: str = "", **more: str) -> Member:
            file = folder / f"{target}.properties"
            file.write_text(_properties(bootstraps, target, remote))
            url = f"{redis_url.rsplit('/', 1)[0]}/{next(numbers)}"
            running = all_running.enter_context(ExitStack())
            service = running.enter_context(running_service(folder / (home or target), url, **more))
            service.manage("prepare", "--config", str(file))
            client = redis.Redis.from_url(url, decode_responses=True)
            running.callback(client.close)
            client.flushdb()
            return Member(target=target, rate=rate, service=service, client=client, running=running)

        yield start


@contextmanager
def reporting(members: Collection[Member]) -> Iterator[None]:
    """The drivers of these services report every second."""
    stop = threading.Event()

    def report() -> None:
        while not stop.wait(1.0):
            for member in members:
                member.report()

    thread = threading.Thread(target=report, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(10.0)


def _properties(bootstraps: Mapping[str, str], target: str, remote: str) -> str:
    aliases = sorted({"us-east", target, *filter(None, remote.split(","))})
    lines = [
        f"clusters = {', '.join(aliases)}",
        *(f"{each}.bootstrap.servers = {bootstraps[each]}" for each in aliases),
    ]
    lines += [f"us-east->{target}.enabled = true", f"us-east->{target}.topics = .*"]
    lines += [f"{_KEY}.target.cluster = {target}", f"{_KEY}.remote.target.cluster = {remote}"]
    return "\n".join([*lines, f"{_KEY}.remote.advertisement.topic.replication.factor = 1"]) + "\n"
