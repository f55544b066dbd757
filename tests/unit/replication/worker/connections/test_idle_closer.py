"""The thread that closes idle clients: it survives a client that does not close."""

from dataclasses import dataclass

from replication.domain.plan.slot import ClusterClient
from replication.worker.connections.client_pool import ClientPool
from replication.worker.connections.idle_closer import IdleCloser
from tests.support.eventually import eventually


@dataclass
class Client:
    is_broken: bool
    closed: int = 0

    def ping(self) -> None:
        return

    def close(self) -> None:
        self.closed += 1
        if self.is_broken:
            raise OSError("the broker is gone")


def pool_of(client: Client) -> ClientPool[Client]:
    return ClientPool(lambda cluster: client, idle_s=0)


def test_idle_clients_are_closed_although_another_one_does_not_close() -> None:
    clients = [Client(is_broken=True), Client(is_broken=False)]
    pools = [pool_of(client) for client in clients]
    for pool in pools:
        pool.client(ClusterClient(alias="east", bootstrap=("e:1",))).ping()

    closer = IdleCloser(pools, every_s=0.01)
    closer.start()
    closer.start()

    eventually(lambda: [client.closed for client in clients] == [1, 1], 20, "both were closed")
