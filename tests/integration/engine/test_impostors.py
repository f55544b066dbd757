"""An address where something else than a Kafka broker answers costs its own flow only."""

import socket
import threading
import uuid
from collections.abc import Iterator
from dataclasses import replace

import pytest

from replication.domain.plan.slot import ClusterClient
from replication.wire.network import cluster_link
from tests.support.engine.slots import SlotLab, level, until
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import produce

pytestmark = pytest.mark.kafka

HTTP = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
TLS_ALERT = bytes([0x15, 3, 3, 0, 2, 2, 80])


@pytest.fixture
def lab(two_clusters: TwoClusters) -> Iterator[SlotLab]:
    slot_lab = SlotLab(two_clusters)
    yield slot_lab
    slot_lab.close()


@pytest.fixture
def impostor(request: pytest.FixtureRequest) -> Iterator[str]:
    """Greets everybody with the parameter's bytes; its address."""
    listener = socket.create_server(("127.0.0.1", 0))

    def greet() -> None:
        while True:
            try:
                caller, _address = listener.accept()
            except OSError:
                return
            caller.sendall(request.param)

    threading.Thread(target=greet, daemon=True).start()
    yield f"127.0.0.1:{listener.getsockname()[1]}"
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


@pytest.mark.parametrize("impostor", [pytest.param(HTTP, id="http"), pytest.param(TLS_ALERT, id="tls")], indirect=True)
def test_a_flow_from_what_is_no_broker_says_so_and_the_others_continue(
    lab: SlotLab, impostor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_link, "BOOTSTRAP_TIMEOUT_MS", 3_000)
    topic = lab.topic(f"well-{uuid.uuid4().hex[:6]}")
    spec = lab.spec({topic: 1})

    with lab.running(spec) as well:
        source = ClusterClient(alias="impostor", bootstrap=(impostor,))
        with lab.running(replace(spec, slot=2, source=source)) as misled:
            until(misled, lambda live: "no Kafka broker" in ((live.get("cause") or {}).get("text") or ""))
            produce(lab.source_bootstrap, topic, [{"key": str(n), "value": "v"} for n in range(10)])
            until(well, level(10))
