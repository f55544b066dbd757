"""Several web workers behind one port: they share sessions and limits, and one that dies is replaced.

Workers end with the process that started them.
"""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import orjson
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from srm_cli.machine.processes import identify
from tests.support.eventually import eventually
from tests.support.servers.redis import RunningRedis
from tests.support.servers.service import RunningService, running_service

pytestmark = [pytest.mark.redis, pytest.mark.large, pytest.mark.timeout(180)]

_BACK_S = 40.0
_ENDED_S = 20.0
_MOST_ATTEMPTS = 10  # of a name and an address


@pytest.fixture(scope="module")
def service(redis_server: RunningRedis, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    url = f"{redis_server.url.rsplit('/', 1)[0]}/11"
    with running_service(tmp_path_factory.mktemp("workers"), url, SRM_WEB_WORKERS="2") as running:
        yield running


def opened(service: RunningService, user: str = "admin", password: str = "") -> httpx.Client:
    """A client with a new connection: the worker that accepts it answers."""
    auth = (user, password or service.admin_password)
    return httpx.Client(base_url=service.url, auth=auth, trust_env=False, timeout=20.0)


def workers(service: RunningService) -> set[int]:
    """The web workers, as the page for Prometheus has them."""
    with opened(service) as client:
        page = client.get("/metrics").text
    return {int(pid) for pid in re.findall(r'srm_service_cpu_seconds_total\{pid="(\d+)"\}', page)}


def token_of(service: RunningService) -> str:
    with opened(service) as client:
        answer = client.post("/api/v2/tokens", json={"name": "sockets", "scopes": ["read"]})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["token"])


def listening(service: RunningService, token: str) -> ClientConnection:
    headers = {"Authorization": f"Bearer {token}"}
    address = f"{service.url.replace('http', 'ws', 1)}/ws/v1/live"
    socket = connect(address, additional_headers=headers, proxy=None, open_timeout=20.0)
    socket.send('{"op": "sub", "topic": "flows"}')
    return socket


def kill_one(service: RunningService) -> int:
    killed = min(workers(service))
    os.kill(killed, signal.SIGKILL)
    return killed


def wait_for_two(service: RunningService, without: int) -> None:
    def are_back() -> bool:
        found = workers(service)
        return len(found) == 2 and without not in found

    eventually(are_back, _BACK_S, "the killed worker is replaced")


def test_a_killed_worker_is_replaced_and_requests_continue(service: RunningService) -> None:
    assert len(workers(service)) == 2
    killed = kill_one(service)

    for _ in range(30):
        with opened(service) as client:
            assert client.get("/api/v2/replications").status_code == 200
    wait_for_two(service, without=killed)


def test_a_session_and_the_limit_of_attempts_are_those_of_all_workers(service: RunningService) -> None:
    with httpx.Client(base_url=service.url, trust_env=False, timeout=20.0) as browser:
        browser.get("/login")
        form = {"username": "admin", "password": service.admin_password, "next": "/"}
        headers = {"X-CSRFToken": browser.cookies["csrftoken"], "Referer": service.url}
        assert browser.post("/login", data=form, headers=headers).status_code == 302
        cookies = dict(browser.cookies)
    killed = kill_one(service)
    wait_for_two(service, without=killed)

    for _ in range(20):
        with httpx.Client(base_url=service.url, cookies=cookies, trust_env=False, timeout=20.0) as other:
            assert other.get("/api/v2/me").status_code == 200

    answers = []
    for _ in range(_MOST_ATTEMPTS + 2):
        with opened(service, "nobody", "a wrong password") as guess:
            answers.append(guess.get("/api/v2/me").status_code)
    assert answers == [*[401] * _MOST_ATTEMPTS, 429, 429]


def test_a_socket_gets_every_frame_of_its_worker_and_after_its_death_those_of_another(service: RunningService) -> None:
    token = token_of(service)
    sockets = [listening(service, token) for _ in range(12)]
    epochs = {orjson.loads(socket.recv(timeout=10.0))["epoch"] for socket in sockets}
    for socket in sockets:
        numbers = [orjson.loads(socket.recv(timeout=10.0))["seq"] for _ in range(3)]
        assert numbers == list(range(numbers[0], numbers[0] + 3))

    killed = kill_one(service)
    closed = 0
    for socket in sockets:
        try:
            for _ in range(3):
                socket.recv(timeout=10.0)
            socket.close()
        except ConnectionClosed:
            closed += 1
    assert len(epochs) <= 2
    assert closed < len(sockets)
    again = listening(service, token)
    assert orjson.loads(again.recv(timeout=10.0))["type"] == "snapshot"
    again.close()
    wait_for_two(service, without=killed)


def test_workers_whose_parent_is_killed_end_and_leave_the_port(redis_server: RunningRedis, tmp_path: Path) -> None:
    url = f"{redis_server.url.rsplit('/', 1)[0]}/12"
    with running_service(tmp_path / "orphans", url, SRM_WEB_WORKERS="2") as service:
        found = [identify(pid) for pid in workers(service)]
        socket = listening(service, token_of(service))
        assert orjson.loads(socket.recv(timeout=10.0))["type"] == "snapshot"

        os.kill(service.pid, signal.SIGKILL)

        alive = [worker for worker in found if worker is not None]
        assert len(alive) == 2
        eventually(lambda: not any(worker.is_alive for worker in alive), _ENDED_S, "the workers have ended")
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{service.url}/livez", trust_env=False, timeout=5.0)
        socket.close()
