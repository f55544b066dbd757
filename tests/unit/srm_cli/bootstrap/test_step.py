"""Parts of the set-up run side by side and fail in one line."""

import sys
from pathlib import Path

import pytest

from srm_cli.bootstrap.step import Step, error_line, run_command, run_steps
from srm_cli.errors import OperatorError


def _fail(_: Path) -> None:
    raise OperatorError("no network; check the proxy")


def test_a_required_step_that_fails_stops_the_set_up_and_is_explained(tmp_path: Path) -> None:
    said: list[str] = []
    steps = [
        Step(name="packages", work=_fail, log=tmp_path / "a.log"),
        Step(name="jars", work=lambda _: None, log=tmp_path / "b.log"),
    ]
    with pytest.raises(OperatorError, match="set-up failed: packages"):
        run_steps(steps, said.append)
    assert "packages: no network; check the proxy" in said
    assert any(line.startswith("jars: ready") for line in said)


def test_an_optional_step_that_fails_only_warns(tmp_path: Path) -> None:
    said: list[str] = []
    run_steps([Step(name="web page", work=_fail, log=tmp_path / "a.log", required=False)], said.append)
    assert said == ["web page: no network; check the proxy"]


def test_a_failing_command_is_quoted_with_its_last_line_and_its_log(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    command = [sys.executable, "-c", "import sys; print('first'); sys.exit('the last line')"]
    with pytest.raises(OperatorError, match=r"the last line.*; try again; see .*x\.log"):
        run_command(command, log, cwd=tmp_path, remedy="try again")


def test_the_sentence_about_the_error_is_told_not_the_usage_after_it() -> None:
    output = "npm warn old\nnpm error code EUSAGE\nnpm error the lock file and package.json differ\nnpm error Usage:\n"
    assert error_line(output) == "npm error the lock file and package.json differ"
    assert error_line("just\nthis\n") == "this"
    assert error_line("") == "no output"
