"""Connection settings of the two databases: the service's own and the metrics store.

The metrics store has one writer, the metrics process; here it is migrated and read. On PostgreSQL it is the schema
`metrics`, so both may share one database; on SQLite it is a separate file, so that its writer never waits for ours.
"""

from pathlib import Path
from typing import Any

from srm_service.settings import env

METRICS_SCHEMA = "metrics"

_SQLITE_OPTIONS: dict[str, Any] = {
    "timeout": 20,
    "transaction_mode": "IMMEDIATE",
    "init_command": (
        "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA busy_timeout=20000;PRAGMA cache_size=-20000;"
        "PRAGMA mmap_size=134217728;PRAGMA journal_size_limit=27103364;PRAGMA temp_store=MEMORY;"
    ),
}
_SQLITE_MAX_AGE_S = 60  # opening one, and closing the last one of a file, costs more than a request
_POSTGRES_POOL: dict[str, Any] = {"min_size": 1, "max_size": 8, "timeout": 10}


def databases(home: Path) -> dict[str, dict[str, Any]]:
    """The settings of `default` and `metrics` from the environment."""
    service = env.database("SRM_DATABASE_URL", home / "service" / "db.sqlite3")
    metrics = env.database("SRM_METRICS_DATABASE_URL", home / "metrics" / "metrics.sqlite3")
    return {"default": _tuned(service, schema=None), "metrics": _tuned(metrics, schema=METRICS_SCHEMA)}


def _tuned(database: dict[str, Any], *, schema: str | None) -> dict[str, Any]:
    if database["ENGINE"].endswith("sqlite3"):
        return {**database, "CONN_MAX_AGE": _SQLITE_MAX_AGE_S, "OPTIONS": dict(_SQLITE_OPTIONS)}
    options: dict[str, Any] = {**database.get("OPTIONS", {}), "pool": dict(_POSTGRES_POOL)}
    if schema:
        options["options"] = f"-c search_path={schema}"
    return {**database, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True, "OPTIONS": options}
