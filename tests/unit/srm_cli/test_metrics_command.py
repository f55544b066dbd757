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
        (
            ("export", "--from", "1", "--to", "2", "--uri", "/data/x", "--target", "b", "--width", "1h"),
            (
                *("-m", "metrics", "export", "--from", "1", "--to", "2", "--uri", "file:///data/x"),
                *("--target", "b", "--width", "1h"),
            ),
        ),
    ],
    ids=["jobs", "cancel", "backfill", "export"],
)
def test_jobs_are_the_metrics_programs_business(
    became: list[tuple[str, ...]], words: tuple[str, ...], command: tuple[str, ...]
) -> None:
    result = CliRunner().invoke(srm, ["metrics", *words])

    assert result.exit_code == 0, result.output
    assert became == [command]


def test_the_rules_of_a_backfill_are_in_its_help() -> None:
    output = " ".join(CliRunner().invoke(srm, ["metrics", "backfill", "--help"]).output.split())

    assert "whole past hours, at most 31 days of them" in output
    assert "`srm metrics jobs` lists and cancels it" in output


def test_a_relative_history_lies_in_the_callers_folder(
    became: list[tuple[str, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program that it becomes runs in another one."""
    monkeypatch.chdir(tmp_path)

    CliRunner().invoke(srm, ["metrics", "export", "--from", "1", "--to", "2", "--uri", "history"])

    assert became[0][-1] == (tmp_path / "history").as_uri()


def test_a_history_that_is_no_folder_is_an_invalid_option(became: list[tuple[str, ...]]) -> None:
    result = CliRunner().invoke(srm, ["metrics", "export", "--from", "1", "--to", "2", "--uri", "s3a://"])

    assert (result.exit_code, became) == (2, [])
    assert "names no folder" in result.output


def test_the_help_of_an_export_has_examples_and_exit_codes() -> None:
    output = " ".join(CliRunner().invoke(srm, ["metrics", "export", "--help"]).output.split())

    assert "--uri s3a://bucket/history" in output
    assert "1 a job failed, or the range cannot be exported" in output
