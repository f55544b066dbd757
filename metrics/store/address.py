"""Opens a connection from a database URL."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from metrics.errors import MetricsConfigError
from metrics.store.connection import SharedConnection
from metrics.store.postgres import PostgresConnection
from metrics.store.sqlite import SqliteConnection


def check_store_url(url: str) -> None:
    """Raise MetricsConfigError if `connect` cannot open an address of this form."""
    parts = urlsplit(url)
    is_sqlite = parts.scheme == "sqlite" and not parts.netloc and len(parts.path) > 1
    is_postgres = parts.scheme in ("postgres", "postgresql") and bool(parts.path.strip("/"))
    if not is_sqlite and not is_postgres:
        raise MetricsConfigError(
            f"cannot use a {parts.scheme or 'nameless'} address as the metrics store: "
            "set SRM_METRICS_DATABASE_URL to sqlite:///<path> or postgres://<user>:<password>@<host>/<database>"
        )


def connect(url: str, *, read_only: bool = False) -> SharedConnection:
    """Open the store. Raises MetricsConfigError, StoreUnavailableError, TablesMissingError."""
    check_store_url(url)
    parts = urlsplit(url)
    if parts.scheme == "sqlite":  # sqlite:///relative and sqlite:////absolute, as Django reads them
        return SharedConnection(SqliteConnection(Path(unquote(parts.path)[1:]), read_only=read_only))
    return SharedConnection(PostgresConnection(url, read_only=read_only))
