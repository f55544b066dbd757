"""The times at which an audit is due."""

from datetime import UTC, datetime, timedelta

import pytest

from replication.domain.reporting.audit_schedule import parse_audit_schedule
from replication.domain.settings.registry.flow import AUDIT_SCHEDULE

NOW = datetime(2026, 3, 4, 2, 45, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "last", "due"),
    [
        ("6h", None, True),
        ("6h", NOW - timedelta(hours=5, minutes=59), False),
        ("6h", NOW - timedelta(hours=6), True),
        ("90m", NOW - timedelta(minutes=91), True),
        ("daily 02:30", None, True),
        ("daily 02:30", NOW - timedelta(minutes=10), False),
        ("daily 02:30", NOW - timedelta(minutes=20), True),
        ("daily 02:50", NOW - timedelta(days=1), False),
        ("Wednesday  02:30", NOW - timedelta(days=7), True),
        ("thursday 02:30", NOW - timedelta(days=7), False),
        ("10m", NOW - timedelta(minutes=10), True),
        ("366d", NOW - timedelta(days=365), False),
    ],
)
def test_an_audit_is_due(text: str, last: datetime | None, due: bool) -> None:
    schedule = parse_audit_schedule(text)

    assert schedule is not None
    assert schedule.is_due(last, NOW) is due


@pytest.mark.parametrize("text", ["", "  "])
def test_without_a_text_no_audit_is_due(text: str) -> None:
    assert parse_audit_schedule(text) is None


@pytest.mark.parametrize(
    "text",
    ["often", "9m", "0h", "1s", "99999h", "367d", "sunday 25:99", "daily 25:00", "0 2 * * *", "daily", "-1h", "off"],
)
def test_what_is_no_schedule_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match=r"srm\.audit\.schedule must be .*10m to 366d.*daily 02:30.*not '"):
        AUDIT_SCHEDULE.parse(text)
