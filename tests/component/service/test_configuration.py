"""The property tree in the database: versions, conflicts, secrets, imports, and the flows that follow from it."""

import json
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import redis
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError, connection, transaction

from replication.config.tree import PropertyPlace, place_of
from replication.domain.desired.desired_document import content_sha256, desired_from_json
from srm_service.clusters.selectors import cluster_access, cluster_find
from srm_service.configuration.contracts import (
    HIDDEN_VALUE,
    AppliedChange,
    InvalidChangeError,
    PropertyChange,
    VersionConflictError,
    VersionNotFoundError,
)
from srm_service.configuration.models import StoredProperty
from srm_service.configuration.selectors import (
    current_tree,
    current_version,
    stored_cells,
    version_diff,
    version_find,
    version_of,
    version_rows,
)
from srm_service.configuration.services import apply_changes, derive_again, revert_to
from srm_service.flows.documents.desired import desired_document
from srm_service.flows.models import Flow
from srm_service.flows.publishing import publish
from tests.component.service.conftest import BOTH

pytestmark = BOTH
_ALIASES = ("a", "b")
_SECRET = "planted-secret"
BASE: dict[str, str | None] = {
    "clusters": "a, b",
    "a.bootstrap.servers": "h:1",
    "b.bootstrap.servers": "h:2",
    "emit.heartbeats.enabled": "false",
    "a->b.enabled": "true",
}


def changes(values: Mapping[str, str | None], **more: Any) -> list[PropertyChange]:
    return [
        PropertyChange(place=place_of(key, aliases=_ALIASES, has_levels=True), value=value, **more)
        for key, value in values.items()
    ]


def apply(values: Mapping[str, str | None], **more: Any) -> AppliedChange:
    return apply_changes(changes(values), by="ann", comment="", **more)


@pytest.fixture
def base(db: None) -> int:
    return apply({**BASE}).version


def everything_stored() -> Iterator[str]:
    """All text in the tables of the service."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            yield from (str(value) for row in cursor.fetchall() for value in row)


def test_a_value_on_four_levels_is_edited_and_reverted_step_by_step(base: int) -> None:
    before, _ = desired_document("b", published_ms=0)
    key = "sync.topic.acls.enabled"
    steps = [{key: "false"}, {f"connectors.{key}": "true"}, {f"a->b.{key}": "false"}]

    seen = [(apply(step).version, Flow.objects.get().connectors["source"].get(key)) for step in steps]
    back = [revert_to(number, by="bob").version for number in (3, 2, 1)]

    after, _ = desired_document("b", published_ms=0)
    assert seen == [(2, "false"), (3, "true"), (4, "false")]
    assert back == [5, 6, 7]
    assert key not in Flow.objects.get().connectors["source"]
    assert content_sha256(after) == content_sha256(before)
    assert [version_of(row).edits for row in version_rows()[:6]] == [1] * 6
    assert version_diff(1, 7) == ()


def test_a_change_without_effect_makes_no_version(base: int) -> None:
    applied = apply({"a->b.enabled": "true", "a->b.topics": None})

    assert (applied.version, applied.is_new, applied.flows) == (base, False, ())
    assert current_version() == base


def test_a_dry_run_tells_everything_and_stores_nothing(base: int) -> None:
    applied = apply({"a->b.tasks.max": "7"}, dry_run=True)

    assert [(each.place.key, each.before, each.after) for each in applied.differences] == [
        ("a->b.tasks.max", None, "7")
    ]
    assert (applied.version, applied.is_new, applied.flows) == (base, True, (("a", "b"),))
    assert (current_version(), Flow.objects.get().tasks_max) == (base, 1)


def test_the_second_of_two_who_edit_at_once_gets_the_difference(base: int) -> None:
    apply({"a->b.tasks.max": "2"}, expected_version=base)

    with pytest.raises(VersionConflictError) as error:
        apply({"a->b.tasks.max": "3"}, expected_version=base)

    (difference,) = error.value.differences
    assert (error.value.current, difference.place.key, difference.after) == (2, "a->b.tasks.max", "2")
    assert Flow.objects.get().tasks_max == 2


def test_a_version_of_the_future_conflicts(base: int) -> None:
    with pytest.raises(VersionConflictError):
        apply({"a->b.tasks.max": "3"}, expected_version=99)


def test_every_error_of_a_change_is_named_and_nothing_is_stored(base: int) -> None:
    with pytest.raises(InvalidChangeError) as error:
        apply({"a->b.tasks.max": "many", "a->b.topics": "ord(ers", "b.bootstrap.servers": None, "a->c.enabled": "true"})

    keys = {finding.key for finding in error.value.findings}
    assert keys == {"a->b.tasks.max", "a->b.topics", "b.bootstrap.servers", "a->c.enabled"}
    assert current_version() == base


@pytest.mark.parametrize(
    "values",
    [
        {"a->b.replication.policy.separator": "x" * 30},
        {"clusters": "a, b, -c", "-c.bootstrap.servers": "h:1"},
        {"clusters": f"a, b, {'c' * 101}", f"{'c' * 101}.bootstrap.servers": "h:1"},
        {"clusters": "a, b, a->b"},
        {"clusters": ""},
    ],
    ids=["long separator", "alias with a dash", "long alias", "a flow as alias", "no clusters"],
)
def test_what_the_tables_cannot_hold_is_refused_with_a_reason(base: int, values: dict[str, str | None]) -> None:
    with pytest.raises(InvalidChangeError):
        apply(values)

    assert (current_version(), Flow.objects.count()) == (base, 1)


def test_an_error_from_before_does_not_refuse_other_changes(base: int) -> None:
    StoredProperty.objects.filter(name="enabled").update(value="perhaps")

    assert apply({"a->b.tasks.max": "2"}).version == base + 1


def test_an_unknown_key_is_kept_with_the_nearest_name(base: int) -> None:
    applied = apply({"a->b.tasks.maxx": "2"})

    assert [finding.message for finding in applied.findings] == ["is not a known key; did you mean tasks.max?"]
    assert stored_cells()[PropertyPlace(level="flow", source="a", target="b", name="tasks.maxx")].value == "2"


def test_a_revert_restores_comments_origins_and_order(base: int) -> None:
    apply_changes(changes({"x.y": "1"}, comment="why", origin="mm2.properties:3"), by="ann", comment="")
    apply({"connectors.tasks.max": "3"})
    wanted = current_tree()
    apply({"x.y": None, "connectors.tasks.max": None, "a->b.enabled": "false"})
    apply_changes(changes({"x.y": "2"}, comment="other"), by="ann", comment="")

    revert_to(3, by="ann")

    assert current_tree() == wanted
    assert version_diff(3, 6) == ()
    assert {each.place.key for each in version_diff(5, 3)} == {"x.y", "connectors.tasks.max", "a->b.enabled"}


def test_a_revert_to_the_empty_tree_and_back_restores_everything(base: int) -> None:
    wanted = current_tree()

    revert_to(0, by="ann")
    gone = Flow.objects.count()
    revert_to(base, by="ann")

    assert gone == 0
    assert current_tree() == wanted
    assert Flow.objects.get().enabled


def test_an_unknown_version_is_not_found(base: int) -> None:
    with pytest.raises(VersionNotFoundError):
        revert_to(7, by="ann")
    with pytest.raises(VersionNotFoundError):
        version_diff(0, 7)
    assert version_find(7) is None


def test_a_comment_is_kept_unless_a_change_has_one(base: int) -> None:
    apply_changes(changes({"a->b.tasks.max": "2"}, comment="why"), by="ann", comment="")
    apply({"a->b.tasks.max": "3"})

    assert stored_cells()[PropertyPlace(level="flow", source="a", target="b", name="tasks.max")].comment == "why"


def test_secrets_are_sealed_everywhere_and_shown_nowhere(base: int) -> None:
    name = "sasl.oauthbearer.client.credentials.client.secret"
    apply({f"a.{name}": _SECRET, "my.plugin.password": _SECRET})
    apply({f"a.{name}": f"{_SECRET}-2"})
    apply({"my.plugin.password": None})

    assert not [text for text in everything_stored() if _SECRET in text]
    assert _SECRET not in repr(
        (current_tree(), version_diff(0, 4), stored_cells(), [version_of(row) for row in version_rows()])
    )
    assert cluster_access(["a"])["a"].secrets == {name: f"{_SECRET}-2"}
    assert [each.is_secret for each in version_diff(1, 3)] == [True, True]


def test_an_equal_secret_and_a_hidden_value_change_nothing(base: int) -> None:
    apply({"a.ssl.key.password": _SECRET})

    assert apply({"a.ssl.key.password": _SECRET}).is_new is False
    assert apply({"a.ssl.key.password": HIDDEN_VALUE}).is_new is False
    assert cluster_access(["a"])["a"].secrets == {"ssl.key.password": _SECRET}


def test_rotation_seals_everything_with_the_first_key(base: int, settings: Any) -> None:
    apply({"a.ssl.key.password": _SECRET})
    apply({"a.ssl.key.password": f"{_SECRET}-2"})
    new = Fernet.generate_key().decode()
    settings.SRM_SECRET_KEYS = (new, *settings.SRM_SECRET_KEYS)
    out = StringIO()

    call_command("rotate_secrets", stdout=out)
    settings.SRM_SECRET_KEYS = (new,)
    revert_to(2, by="ann")

    assert cluster_access(["a"])["a"].secrets == {"ssl.key.password": _SECRET}
    assert "4 secrets" in out.getvalue()


def test_rotation_without_the_old_key_changes_nothing(base: int, settings: Any) -> None:
    apply({"a.ssl.key.password": _SECRET})
    old, settings.SRM_SECRET_KEYS = settings.SRM_SECRET_KEYS, (Fernet.generate_key().decode(),)

    with pytest.raises(CommandError, match="SRM_SECRET_KEYS"):
        call_command("rotate_secrets")

    settings.SRM_SECRET_KEYS = old
    assert cluster_access(["a"])["a"].secrets == {"ssl.key.password": _SECRET}


def test_a_reference_is_kept_and_looked_up_for_the_drivers(base: int, tmp_path: Path) -> None:
    file = tmp_path / "secrets.properties"
    file.write_text(f"password={_SECRET}\n")

    apply({"a.ssl.key.password": f"${{file:{file}:password}}"})

    assert stored_cells()[PropertyPlace(level="cluster", alias="a", name="ssl.key.password")].value.startswith(
        "${file:"
    )
    assert cluster_access(["a"])["a"].secrets == {"ssl.key.password": _SECRET}
    assert not [text for text in everything_stored() if _SECRET in text]


def test_a_reference_that_leads_nowhere_concerns_its_cluster_only(base: int, live_redis: redis.Redis) -> None:
    apply({"clusters": "a, b, c", "c.bootstrap.servers": "h:3"})
    apply({**dict.fromkeys(("c->b.enabled", "c->b.emit.heartbeats.enabled"), "true")})
    publish("b")

    applied = apply({"c.ssl.key.password": "${env:SRM_NOT_THERE}", "a->b.tasks.max": "5"})
    publish("b")

    document, _ = desired_from_json(str(live_redis.get("srm:desired:b")))
    assert [(flow.source, flow.tasks_max) for flow in document.flows] == [("a", 5), ("c", 1)]
    assert ["SRM_NOT_THERE is not set" in finding.message for finding in applied.findings] == [True]
    assert "SRM_NOT_THERE" in getattr(cluster_find("c"), "problem", "")


def test_a_flow_with_a_lost_value_keeps_what_drivers_have_and_obeys_its_pause(
    base: int, live_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRM_TASKS", "6")
    apply({"a->b.tasks.max": "${env:SRM_TASKS}"})
    publish("b")
    monkeypatch.delenv("SRM_TASKS")

    assert derive_again() is True
    Flow.objects.update(state="pause", pause_reason="x", pause_by="ann")
    publish("b")

    (flow,) = desired_from_json(str(live_redis.get("srm:desired:b")))[0].flows
    assert (flow.tasks_max, flow.state) == (6, "pause")
    monkeypatch.setenv("SRM_TASKS", "8")
    assert derive_again() is True
    assert Flow.objects.get().tasks_max == 8


def test_operators_orders_survive_changes_of_the_tree(base: int) -> None:
    Flow.objects.update(state="pause", pause_reason="kept", generation=3, throttle_bytes_per_second=10)

    apply({"a->b.tasks.max": "2", "a->b.enabled": "false"})

    flow = Flow.objects.get()
    assert (flow.state, flow.pause_reason, flow.generation, flow.throttle_bytes_per_second) == ("pause", "kept", 3, 10)


@pytest.mark.parametrize(
    "place",
    [
        {"level": "global", "alias": "a"},
        {"level": "cluster"},
        {"level": "cluster", "alias": "a", "source": "a", "target": "b"},
        {"level": "flow", "source": "a"},
        {"level": "flow", "source": "a", "target": "a"},
        {"level": "nowhere"},
    ],
    ids=json.dumps,
)
def test_the_database_refuses_places_that_cannot_be(base: int, place: dict[str, str]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        StoredProperty.objects.create(name="x", value="1", position=1, **place)


def test_the_database_refuses_a_second_property_at_a_place(base: int) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        StoredProperty.objects.create(level="global", name="clusters", value="1", position=1)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (PropertyPlace(level="global", name=""), "1"),
        (PropertyPlace(level="global", name="x" * 600), "1"),
        (PropertyPlace(level="global", name="x"), "nul\0"),
        (PropertyPlace(level="flow", name="x", source="a", target="a"), "1"),
        (PropertyPlace(level="cluster", name="x"), "1"),
    ],
    ids=["no name", "long name", "NUL", "one cluster", "no alias"],
)
def test_what_cannot_be_stored_is_refused_before_the_database(base: int, place: PropertyPlace, value: str) -> None:
    with pytest.raises(InvalidChangeError):
        apply_changes([PropertyChange(place=place, value=value)], by="ann", comment="")
