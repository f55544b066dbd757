"""The output of the commands at the terminal."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from srm_cli.control.main import srm_control
from srm_cli.machine.ports import free_port
from srm_cli.main import srm

_NAMES = (
    "up",
    "demo",
    "stop",
    "status",
    "preflight",
    "doctor",
    "dev-clusters",
    "driver",
    "service",
    "metrics",
    "audit",
    "version",
)


@pytest.fixture(autouse=True)
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SRM_HOME", str(tmp_path / "home"))


def _paths() -> Iterator[str]:
    """The words of every command and of every command below it."""
    context = click.Context(srm)
    for name in srm.list_commands(context):
        yield name
        command = srm.get_command(context, name)
        below = command.commands if isinstance(command, click.Group) else ()
        yield from (f"{name} {each}" for each in below)


@pytest.mark.parametrize("path", list(_paths()))
def test_every_command_has_examples_in_its_help(path: str) -> None:
    result = CliRunner().invoke(srm, [*path.split(), "--help"])
    assert result.exit_code == 0
    assert f"  srm {path}" in result.output


def test_help_lists_every_command() -> None:
    output = CliRunner().invoke(srm, ["--help"]).output
    assert all(f"  {name} " in output for name in _NAMES)


def test_help_loads_neither_the_engine_nor_any_client_library() -> None:
    code = (
        "import sys\nfrom srm_cli.main import srm\nsrm(['--help'], standalone_mode=False)\n"
        "heavy = {'replication', 'httpx', 'redis', 'celery', 'django', 'confluent_kafka', 'pyspark', 'structlog'}\n"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""


def test_status_of_an_empty_folder_says_how_to_start() -> None:
    result = CliRunner().invoke(srm, ["status"])
    assert result.exit_code == 1
    assert "`srm up` or `srm demo` starts it" in result.output


def test_stop_of_an_empty_folder_is_no_error() -> None:
    result = CliRunner().invoke(srm, ["stop"])
    assert result.exit_code == 0
    assert "nothing runs" in result.output


def test_a_properties_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        srm, ["up", "--port", str(free_port()), "--config", str(tmp_path / "nowhere.properties")]
    )
    assert result.exit_code == 1
    assert "nowhere.properties does not exist" in result.output


def test_all_errors_of_a_broken_file_are_listed_at_once(tmp_path: Path) -> None:
    broken = tmp_path / "broken.properties"
    broken.write_text("clusters = a, b\na->b.enabled = perhaps\na->b.tasks.max = many\n")
    result = CliRunner().invoke(srm, ["up", "--port", str(free_port()), "--config", str(broken)])
    assert result.exit_code == 1
    assert "perhaps" in result.output
    assert "many" in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("port", ["0", "-1", "99999", "web"])
def test_a_port_that_cannot_be_is_one_clear_line(port: str) -> None:
    result = CliRunner().invoke(srm, ["up", "--port", port])
    assert result.exit_code == 2
    assert "Invalid value for '--port'" in result.output
    assert "Traceback" not in result.output


def test_a_driver_without_redis_says_which_variable_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SRM_REDIS_URL", raising=False)
    result = CliRunner().invoke(srm, ["driver", "--role", "data"])
    assert result.exit_code == 1
    assert "SRM_REDIS_URL is not set" in result.output


def test_control_without_a_service_says_where_it_looked(tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("secret")
    arguments = ["--url", "http://127.0.0.1:9", "--password-file", str(password), "flows", "list"]
    result = CliRunner().invoke(srm_control, arguments)
    assert result.exit_code == 5
    assert "no answer from http://127.0.0.1:9" in result.output
    assert "secret" not in result.output
