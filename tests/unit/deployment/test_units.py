"""The systemd units: accepted by systemd, with commands, secrets and variables that exist."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from srm_cli.machine.secret_files import SECRETS
from srm_cli.main import srm
from tests.support.deployment.files import UNITS, Unit, units

ALL = tuple(units())


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    for path in UNITS:
        text = path.read_text().replace("/opt/srm/.venv/bin/srm", sys.executable)
        (tmp_path / path.name).write_text(text)
    command = ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / path.name) for path in UNITS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("unit", ALL, ids=lambda unit: unit.name)
def test_a_unit_starts_a_command_with_options_that_exist(unit: Unit, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in unit.environment.items():
        monkeypatch.setenv(name, value)
    name, *words = unit.words
    command = srm.get_command(srm.make_context("srm", [name], resilient_parsing=True), name)
    assert command is not None
    command.make_context(name, list(words))


@pytest.mark.parametrize("unit", ALL, ids=lambda unit: unit.name)
def test_the_secrets_of_a_unit_are_credentials(unit: Unit) -> None:
    files = {name: path for name, path in unit.environment.items() if name.endswith("_FILE")}
    assert files.keys() <= {f"{name}_FILE" for name in SECRETS}
    assert {path.removeprefix("%d/") for path in files.values()} == unit.credentials
