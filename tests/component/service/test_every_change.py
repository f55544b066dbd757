"""Every changing operation of the schema: its entry in the trail, stale versions, and repeated requests."""

from pathlib import Path

import pytest
from rest_framework.test import APIClient

from srm_service.trail.models import TrailEntry
from tests.component.service.conftest import BOTH
from tests.support.rest.changes import CHANGES, CHANGING, NEEDS_BROKERS, READING_ONLY, send
from tests.support.rest.world import World

pytestmark = [BOTH, pytest.mark.redis]

_CONTRACT = Path(__file__).parents[3] / "docs/contracts/rest.md"
_STALE = '"0"'
_WITH_IF_MATCH = {name for name, operation in CHANGING.items() if "If-Match" in operation.parameters("header")}
_WITH_KEY = {name for name, operation in CHANGING.items() if "Idempotency-Key" in operation.parameters("header")}


def test_every_changing_operation_has_a_request_or_reads_only() -> None:
    assert CHANGES.keys() | READING_ONLY | NEEDS_BROKERS == CHANGING.keys()
    assert not CHANGES.keys() & (READING_ONLY | NEEDS_BROKERS)
    assert CHANGES.keys() >= _WITH_IF_MATCH | _WITH_KEY
    assert len(_WITH_IF_MATCH) > 10
    assert len(_WITH_KEY) > 10


def test_the_contract_names_the_posts_that_keep_no_answer() -> None:
    posts = {name for name, operation in CHANGING.items() if operation.method == "post"}
    (paragraph,) = (part for part in _CONTRACT.read_text().split("\n- **") if part.startswith("Repeated requests."))

    assert {name for name in posts if f"`{name}`" in paragraph} == posts - _WITH_KEY


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_a_change_is_recorded(name: str, admin: APIClient, world: World) -> None:
    change, operation = CHANGES[name], CHANGING[name]
    address = change.address(operation, admin, world)
    before = TrailEntry.objects.latest("id").pk

    answer = send(admin, operation, address, change.body)

    assert answer.status_code in (200, 201, 202, 204, 503), answer.content  # 503: no control worker answers
    found = TrailEntry.objects.filter(pk__gt=before, actor="somebody-admin")
    assert change.action in [entry.action for entry in found]


@pytest.mark.parametrize("name", sorted(_WITH_IF_MATCH))
def test_a_stale_version_is_refused_and_nothing_is_recorded(name: str, admin: APIClient, world: World) -> None:
    change, operation = CHANGES[name], CHANGING[name]
    address = change.address(operation, admin, world)
    before = TrailEntry.objects.latest("id").pk

    answer = send(admin, operation, address, change.body, If_Match=_STALE)

    assert answer.status_code == 412, answer.content
    assert 412 in operation.statuses
    assert not TrailEntry.objects.filter(pk__gt=before).exists()


@pytest.mark.parametrize("name", sorted(_WITH_KEY))
def test_a_repeated_request_with_a_key_gets_the_first_answer(name: str, admin: APIClient, world: World) -> None:
    change, operation = CHANGES[name], CHANGING[name]
    address = change.address(operation, admin, world)

    first = send(admin, operation, address, change.body, Idempotency_Key="key-1")
    after_first = TrailEntry.objects.count()
    second = send(admin, operation, address, change.body, Idempotency_Key="key-1")

    assert first.status_code in (200, 201, 202), first.content
    assert "Idempotent-Replayed" not in first
    assert (second.status_code, second["Idempotent-Replayed"]) == (first.status_code, "true")
    assert second.content == first.content
    assert TrailEntry.objects.count() == after_first
