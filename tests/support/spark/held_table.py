"""A table of the metrics store that a test holds: whoever wants to write to it waits, and the test sees who."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg

from tests.support.metrics.metrics_store import postgres_rows
from tests.support.spark.processes import Process, tree, with_local_port


@dataclass(frozen=True, slots=True)
class HeldTable:
    """A table that can be read and not written."""

    url: str
    name: str

    def waiting(self, root: int) -> list[Process]:
        """The processes below another one that wait for the table."""
        rows = postgres_rows(
            self.url,
            "SELECT a.client_port AS port FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid "
            f"WHERE NOT l.granted AND l.relation = '{self.name}'::regclass",
        )
        return with_local_port(tree(root), {row["port"] for row in rows})

    def end_sessions_that_wait(self) -> None:
        """End the database sessions that wait for the table, as a database does that fails over."""
        postgres_rows(
            self.url,
            "SELECT pg_terminate_backend(pid) AS is_ended FROM pg_locks "
            f"WHERE NOT granted AND relation = '{self.name}'::regclass",
        )


@contextmanager
def held_table(url: str, name: str) -> Iterator[HeldTable]:
    """Hold off writers of a table until the block ends; PostgreSQL only."""
    with psycopg.connect(url, options="-c search_path=metrics") as connection:
        connection.execute(f"LOCK TABLE {name} IN SHARE MODE".encode())
        yield HeldTable(url, name)
        connection.rollback()
