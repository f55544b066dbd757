"""Fixtures every test may ask for."""

from typing import Any

import pytest
from hypothesis import settings

# no example has a time limit: a slow machine is not a failure
settings.register_profile("everywhere", settings.default, deadline=None)
settings.load_profile("everywhere")

pytest_plugins = [
    "tests.support.second_try",
    "tests.support.kafka.clusters",
    "tests.support.kafka.mirror_maker",
    "tests.support.servers.redis",
    "tests.support.engine.engine_fleet",
    "tests.support.drivers.whole_driver",
]


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """Remove the trigger that keeps the audit trail of SQLite from being emptied after tests that commit."""
    from django.db import connection

    with django_db_blocker.unblock():
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute("DROP TRIGGER IF EXISTS trail_no_deletion")
