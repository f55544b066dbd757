"""Liveness and readiness. Liveness has no dependencies; readiness names the missing component."""

import redis
from django.db import DatabaseError, connections
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse

from replication.config.redis_access import memory_problem, problem_of
from srm_service.wiring import redis_client

_OK = "ok"


def livez(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(request: HttpRequest) -> JsonResponse:
    """Return 200 when all components are ready, 503 otherwise."""
    parts = {
        "database": _database("default"),
        "metrics_database": _database("metrics"),
        "redis": _redis(),
    }
    ready = all(text == _OK for text in parts.values())
    return JsonResponse({"ready": ready, "parts": parts}, status=200 if ready else 503)


def _database(alias: str) -> str:
    try:
        executor = MigrationExecutor(connections[alias])
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        return f"does not answer: {type(error).__name__}"
    return f"{len(missing)} migrations are not applied: run `python manage.py prepare`" if missing else _OK


def _redis() -> str:
    try:
        return memory_problem(redis_client().info("memory")) or _OK
    except (redis.RedisError, OSError) as error:
        return f"{problem_of(error)}; live state and changes wait for it"
