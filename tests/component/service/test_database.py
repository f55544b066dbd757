"""The tests of the service run on the database that was asked for."""

import os

from django.db import connections

from tests.component.service.conftest import BOTH

pytestmark = BOTH


def test_both_databases_are_of_the_wanted_kind() -> None:
    wanted = os.environ.get("SRM_TEST_DATABASE", "sqlite")

    assert {alias: connections[alias].vendor for alias in ("default", "metrics")} == {
        "default": wanted,
        "metrics": wanted,
    }
