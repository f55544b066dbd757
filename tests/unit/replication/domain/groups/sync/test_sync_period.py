"""Settings of checkpoints without effect."""

from typing import Any

import pytest

from replication.domain.groups.checkpoint_settings import CheckpointSettings
from replication.domain.groups.sync.sync_period import useless_settings
from replication.domain.names.filters import NameFilter

EMIT, SYNC = "emit.checkpoints.interval.seconds", "sync.group.offsets.interval.seconds"
REFRESH, SYNCS = "refresh.groups.interval.seconds", "sync.group.offsets.enabled"
ALL = (EMIT, SYNC, REFRESH, SYNCS)


def settings(**changes: Any) -> CheckpointSettings:
    usual: dict[str, Any] = {
        "groups": NameFilter.of([".*"]),
        "topics": NameFilter.of([".*"]),
        "is_on": True,
        "off_because": "",
        "refreshes": True,
        "refresh_interval_ms": 10_000,
        "emit_interval_ms": 60_000,
        "syncs_groups": True,
        "sync_interval_ms": 60_000,
        "reverse": False,
    }
    return CheckpointSettings(**{**usual, **changes})


@pytest.mark.parametrize(
    ("changes", "given", "useless"),
    [
        ({}, ALL, []),
        ({"sync_interval_ms": 120_000}, ALL, []),
        ({"sync_interval_ms": 10_000}, ALL, [SYNC]),
        ({"sync_interval_ms": 10_000}, (), []),
        ({"syncs_groups": False}, ALL, [SYNC]),
        ({"syncs_groups": False}, (SYNCS,), []),
        ({"refreshes": False}, ALL, [REFRESH]),
        ({"is_on": False, "off_because": "x=false"}, ALL, [EMIT, SYNC, REFRESH, SYNCS]),
        ({"is_on": False, "off_because": "x=false", "syncs_groups": False}, (SYNC, SYNCS), [SYNC]),
    ],
)
def test_what_has_no_effect_is_reported_if_someone_gave_it(
    changes: dict[str, Any], given: tuple[str, ...], useless: list[str]
) -> None:
    found = useless_settings(settings(**changes), given)

    assert [each.key for each in found] == useless
    assert all(each.text.startswith(each.key) for each in found)


def test_the_text_names_both_intervals_and_the_remedy() -> None:
    (found,) = useless_settings(settings(sync_interval_ms=10_000), ALL)

    assert found.text == f"{SYNC} (10 s) is shorter than {EMIT} (60 s): offsets are set every 60 s; shorten {EMIT}"
