"""Driver orders: only genuine ones, only newer ones, kept on disk, and each restart once."""

from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from replication.config.security.signed_document import signed
from replication.domain.desired.desired_drivers import DesiredDrivers, Drain, Restart, desired_drivers_to_json
from replication.worker.state.orders_cache import OrdersCache
from replication.worker.state.state_folder import StateFolder

KEY = Fernet.generate_key().decode()
DRAIN = Drain(reason="update", by="ann", since_ms=0, expires_ms=1_000)


class Bench:
    def __init__(self, home: Path) -> None:
        self.folder = StateFolder(home, "d1-2", "data", [KEY])
        self.folder.lock()

    def cache(self) -> OrdersCache:
        made = OrdersCache(self.folder, [KEY], driver="d1-2", parent="d1")
        made.load_from_disk()
        return made


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def orders(revision: int = 1, *, key: str = KEY, **fields: object) -> bytes:
    document = DesiredDrivers(revision=revision, published_ms=revision, **fields)  # type: ignore[arg-type]  # by name
    return signed([key], desired_drivers_to_json(document), "driver orders").encode()


def test_a_drain_of_the_driver_or_of_the_process_is_in_force_until_it_expires(bench: Bench) -> None:
    for name in ("d1", "d1-2"):
        cache = bench.cache()
        cache.update(orders(drains={name: DRAIN}))
        assert (cache.drain(999), cache.drain(1_000)) == (DRAIN, None)


def test_a_drain_survives_a_restart_without_redis(bench: Bench) -> None:
    bench.cache().update(orders(drains={"d1": DRAIN}))

    again = bench.cache()
    again.update(None)

    assert again.drain(0) == DRAIN


def test_orders_that_are_not_genuine_are_rejected(bench: Bench) -> None:
    cache = bench.cache()

    cache.update(orders(key=Fernet.generate_key().decode(), drains={"d1": DRAIN}))

    assert cache.drain(0) is None


def test_older_orders_are_rejected(bench: Bench) -> None:
    cache = bench.cache()
    cache.update(orders(2))

    cache.update(orders(1, drains={"d1": DRAIN}))

    assert cache.drain(0) is None


def test_a_restart_is_carried_out_once(bench: Bench) -> None:
    cache, restart = bench.cache(), Restart(id="r1", until_ms=5)
    cache.update(None)

    cache.update(orders(restarts={"d1": restart}))

    assert (cache.take_restart(), cache.take_restart()) == (restart, None)
    again = bench.cache()
    again.update(orders(restarts={"d1": restart}))
    assert again.take_restart() is None


def test_a_restart_in_the_first_document_is_older_than_the_process(bench: Bench) -> None:
    cache = bench.cache()

    cache.update(orders(restarts={"d1": Restart(id="r1", until_ms=5)}))

    assert cache.take_restart() is None
