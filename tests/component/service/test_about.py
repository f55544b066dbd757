"""The release of the service."""

import platform

import pytest
from django.db import connection
from rest_framework.test import APIClient

from replication.config.release import version
from tests.component.service.conftest import BOTH

pytestmark = [BOTH, pytest.mark.django_db]


def test_each_role_reads_the_release_and_its_parts(viewer: APIClient) -> None:
    answer = viewer.get("/api/v2/about").json()

    assert answer == {"version": version(), "python": platform.python_version(), "database": connection.display_name}
