"""Lines that are shown when the system is up."""

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from srm_cli.control.main import srm_control
from srm_cli.errors import ExitCode
from srm_cli.machine.home import HomeFolder
from srm_cli.machine.ports import free_port
from srm_cli.system.launch import start_text
from srm_cli.system.processes import SystemPlan


def test_the_command_that_is_shown_calls_this_service_from_any_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SRM_PORT", "SRM_URL", "SRM_PASSWORD_FILE", "SRM_CONTEXT", "SRM_TOKEN_FILE", "SRM_HOME"):
        monkeypatch.delenv(name, raising=False)
    folder = HomeFolder(path=tmp_path / "a home").create()
    folder.admin_password_file.write_text("secret")
    port = free_port()

    text = start_text(SystemPlan(folder=folder, host="127.0.0.1", port=port), "secret")

    (line,) = [line for line in text if line.startswith("on the command line: ")]
    client, *words = shlex.split(line.partition(": ")[2])
    result = CliRunner().invoke(srm_control, words)
    assert Path(client).name == "srm-control"
    assert words[-2:] == ["flows", "list"]
    assert result.exit_code == ExitCode.SERVICE, result.output
    assert f"http://localhost:{port}" in result.output
