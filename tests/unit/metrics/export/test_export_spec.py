"""The spec of an export, as requested and as read."""

from typing import Any

import pytest

from metrics.errors import JobError
from metrics.export.export_spec import ExportSpec, parse_export_spec


@pytest.mark.parametrize("wanted", [None, (0, 3_600_000)])
def test_a_spec_is_read_as_it_was_requested(wanted: tuple[int, int] | None) -> None:
    spec = ExportSpec(uri="file:///data", widths=("1m", "1h"), wanted=wanted)

    assert parse_export_spec(spec.to_json()) == spec


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ({}, "needs uri and widths"),
        ({"uri": "file:///data", "widths": ["10s"]}, "choose from 1m, 1h"),
        ({"uri": "file:///data", "widths": ["1m"], "from_ms": 1}, "both from_ms and to_ms"),
        ({"uri": "file:///data", "widths": ["1m"], "from_ms": "1", "to_ms": "2"}, "both from_ms and to_ms"),
    ],
)
def test_an_incomplete_spec_is_refused(spec: dict[str, Any], complaint: str) -> None:
    with pytest.raises(JobError, match=complaint):
        parse_export_spec(spec)
