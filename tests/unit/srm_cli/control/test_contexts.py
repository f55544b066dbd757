"""Contexts: services and credentials under names, in a file of their owner."""

import base64
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from srm_cli.control.contexts import contexts_file
from srm_cli.control.main import srm_control
from tests.unit.srm_cli.control.played import Played

CALLS = [
    "contexts set prod --url http://p --user ann --password-file FILE",
    "contexts set ci --url http://c --token-file -",
    "contexts list -o table",
    "contexts list -o json",
    "contexts list -o yaml",
    "contexts list -o csv",
    "contexts use ci",
    "contexts delete prod",
]


def run(arguments: str, *, stdin: str | None = None) -> Result:
    return CliRunner().invoke(srm_control, shlex.split(arguments), input=stdin)


def set_both(service: Played, folder: Path) -> None:
    password = folder / "password"
    password.write_text("secret\n")
    run(f"contexts set prod --url {service.url} --user ann --password-file {password}")
    run(f"contexts set ci --url {service.url} --token-file -", stdin="tkn\n")


def login(service: Played, arguments: str = "") -> str:
    service.answers["GET", "/api/v2/clusters"] = {"items": [], "next_cursor": None}
    result = run(f"{arguments} clusters list")
    assert result.exit_code == 0, result.output
    kind, _, text = service.received[-1]["Authorization"].partition(" ")
    return text if kind == "Bearer" else base64.b64decode(text).decode()


def test_only_the_owner_reads_the_file(service: Played, tmp_path: Path) -> None:
    set_both(service, tmp_path)

    assert contexts_file().stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("output", ["table", "json", "yaml", "csv"])
def test_contexts_are_listed_without_credentials(service: Played, tmp_path: Path, output: str) -> None:
    set_both(service, tmp_path)

    result = run(f"contexts list -o {output}")

    assert "prod" in result.output
    assert "password file" in result.output
    assert "tkn" not in result.output


def test_the_first_context_is_the_current_one_until_another_is_used(service: Played, tmp_path: Path) -> None:
    set_both(service, tmp_path)

    assert login(service) == "ann:secret"
    assert run("contexts use ci").output == "context ci is the current one\n"
    assert login(service) == "tkn"
    assert login(service, "--context prod") == "ann:secret"


def test_options_win_over_the_context(service: Played, tmp_path: Path) -> None:
    set_both(service, tmp_path)
    other, token = tmp_path / "other", tmp_path / "token"
    other.write_text("pass")
    token.write_text("tkn2\n")

    assert login(service, f"--context ci --user bob --password-file {other}") == "bob:pass"
    assert login(service, f"--token-file {token}") == "tkn2"


def test_a_deleted_context_is_gone(service: Played, tmp_path: Path) -> None:
    set_both(service, tmp_path)

    assert run("contexts delete prod").exit_code == 0

    result = run("--context prod clusters list")
    assert result.exit_code == 3
    assert "there is no context prod; known are: ci" in result.output
    assert run("contexts use prod").exit_code == 3


def test_a_file_that_others_can_read_is_not_used(service: Played, tmp_path: Path) -> None:
    set_both(service, tmp_path)
    contexts_file().chmod(0o644)

    result = run("clusters list")

    assert result.exit_code == 1
    assert "run chmod 600" in result.output


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"current": 1, "contexts": 2}'])
def test_a_damaged_file_is_named(text: str) -> None:
    contexts_file().write_text(text)
    contexts_file().chmod(0o600)

    result = run("contexts list")

    assert result.exit_code == 1
    assert "is damaged" in result.output


def test_an_empty_token_is_refused(service: Played) -> None:
    assert run(f"contexts set ci --url {service.url} --token-file -", stdin="\n").exit_code == 2
    assert not contexts_file().exists()
