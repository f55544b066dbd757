"""The export that the environment of the metrics process asks for."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from metrics.main import exported_from, metrics


def test_without_a_uri_nothing_is_exported() -> None:
    assert exported_from({}, "/srv") is None
    assert exported_from({"SRM_METRICS_EXPORT_URI": "", "SRM_METRICS_EXPORT_WIDTHS": "1h"}, "/srv") is None


def test_a_uri_exports_both_widths_or_those_that_are_named() -> None:
    both = exported_from({"SRM_METRICS_EXPORT_URI": "history"}, "/srv")
    one = exported_from({"SRM_METRICS_EXPORT_URI": "s3a://b/h", "SRM_METRICS_EXPORT_WIDTHS": "1h"}, "/srv")

    assert both is not None
    assert one is not None
    assert (both.uri, both.widths, both.wanted) == ("file:///srv/history", ("1m", "1h"), None)
    assert (one.uri, one.widths) == ("s3a://b/h", ("1h",))


def test_a_value_that_cannot_be_used_ends_the_process_before_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRM_METRICS_EXPORT_URI", "s3a://")

    result = CliRunner().invoke(metrics, ["run", "--targets-file", str(tmp_path / "targets.json")])

    assert result.exit_code == 2
    assert "SRM_METRICS_EXPORT_URI" in result.output
    assert "names no folder" in result.output
