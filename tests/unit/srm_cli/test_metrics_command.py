"""`srm metrics`: which process it becomes."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from srm_cli.commands import metrics
from srm_cli.main import srm


@pytest.fixture
def became(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []

    def replace_process(command: tuple[str, ...], env: Mapping[str, str]) -> None:
        assert env["SRM_HOME"] == str(tmp_path / "home")
        found.append(command[1:])

    monkeypatch.setenv("SRM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(metrics, "replace_process", replace_process)
    return found


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (("jobs",), ("-m", "metrics", "jobs")),
        (("jobs", "--cancel", "12"), ("-m", "metrics", "jobs", "--cancel", "12")),
        (
            ("backfill", "--target", "b", "--from", "2026-11-21T05:00Z", "--to", "7"),
            ("-m", "metrics", "backfill", "--target", "b", "--from", "2026-11-21T05:00Z", "--to", "7"),
        ),
    ],
    ids=["jobs", "cancel", "backfill"],
)
def test_jobs_are_the_metrics_programs_business(
    became: list[tuple[str, ...]], words: tuple[str, ...], command: tuple[str, ...]
) -> None:
    result = CliRunner().invoke(srm, ["metrics", *words])

    assert result.exit_code == 0, result.output
    assert became == [command]


def test_the_rules_of_a_backfill_are_in_its_help() -> None:
    output = " ".join(CliRunner().invoke(srm, ["metrics", "backfill", "--help"]).output.split())

    assert "whole past hours, at most 48 of them and 100,000 tiles per job" in output
    assert "`srm metrics jobs` lists and cancels it" in output
