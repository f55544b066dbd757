"""Values of one key on two levels, written over REST: the documented one is in force, the other is in its chain."""

import pytest
from rest_framework.test import APIClient

from replication.config.tree import TreeFormat
from srm_service.configuration.selectors import current_version
from tests.component.service.conftest import BOTH
from tests.unit.replication.config.tree.level_examples import PAIRS, Spelling

pytestmark = BOTH
_PROPERTIES = "/api/v2/properties"
_FILE = """clusters = east, west
east.bootstrap.servers = e:1
west.bootstrap.servers = w:1
east->west.enabled = true
"""


@pytest.mark.parametrize(("client", "name", "format", "stronger", "weaker", "turned"), PAIRS)
def test_the_stronger_of_two_written_levels_is_in_force_until_it_is_removed(
    admin: APIClient,
    client: str,
    name: str,
    format: TreeFormat,
    stronger: Spelling,
    weaker: Spelling,
    turned: bool,
) -> None:
    admin.post(f"{_PROPERTIES}/import", {"text": _FILE, "format": format, "name": "f"}, format="json")
    pairs = [(stronger, _values(name)[0]), (weaker, _values(name)[1])]
    for (_, key), value in reversed(pairs) if turned else pairs:
        _write(admin, key, value)

    assert _chain(admin, client, name) == [(pairs[0][1], *stronger), (pairs[1][1], *weaker)]
    _write(admin, stronger[1], None)
    assert _chain(admin, client, name)[0] == (pairs[1][1], *weaker)
    assert current_version() == 4


def _values(name: str) -> tuple[str, str]:
    """Two valid values that differ."""
    if name == "compression.type":
        return "lz4", "zstd"
    if name.endswith(".enabled"):
        return "true", "false"
    return "7", "8"


def _write(admin: APIClient, key: str, value: str | None) -> None:
    answer = admin.patch(_PROPERTIES, {"changes": [{"key": key, "value": value}]}, format="json")
    assert answer.status_code == 200, answer.content


def _chain(admin: APIClient, client: str, name: str) -> list[tuple[str, str, str]]:
    """Return value, level and key: the one in force first."""
    answer = admin.get("/api/v2/replications/east/west/effective", {"key": name, "client": client}).json()
    found = next(item for item in answer["items"] if (item["client"], item["name"]) == (client, name))
    return [(each["value"], each["level"], each["key"]) for each in (found, *found["beaten"])]
