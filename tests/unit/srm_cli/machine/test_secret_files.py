"""Secrets that files hold."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from srm_cli.errors import OperatorError
from srm_cli.machine.own_secrets import _MAKERS
from srm_cli.machine.secret_files import SECRETS, read_secret_files
from srm_cli.main import srm


def test_a_file_stands_for_its_variable(tmp_path: Path) -> None:
    file = tmp_path / "redis-url"
    file.write_text("redis://:word@redis:6379/0\n")
    environment = {"SRM_REDIS_URL_FILE": str(file), "SRM_HOME": "/srm"}
    read_secret_files(environment)
    assert environment == {"SRM_REDIS_URL": "redis://:word@redis:6379/0", "SRM_HOME": "/srm"}


@pytest.mark.parametrize(
    ("content", "more", "named"),
    [
        (None, {}, "cannot read .*redis-url: No such file"),
        ("\n", {}, "redis-url is empty"),
        ("redis://a", {"SRM_REDIS_URL": "redis://b"}, "SRM_REDIS_URL and SRM_REDIS_URL_FILE are both set"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, content: str | None, more: dict[str, str], named: str) -> None:
    file = tmp_path / "redis-url"
    if content is not None:
        file.write_text(content)
    with pytest.raises(OperatorError, match=named):
        read_secret_files({"SRM_REDIS_URL_FILE": str(file), **more})


def test_every_generated_secret_of_a_process_can_be_in_a_file() -> None:
    assert set(_MAKERS) - {"SRM_REDIS_PASSWORD"} <= set(SECRETS)


def test_commands_name_the_file_that_they_cannot_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SRM_HOME", str(tmp_path))
    monkeypatch.setenv("SRM_TRANSPORT_KEYS_FILE", str(tmp_path / "nowhere"))
    result = CliRunner().invoke(srm, ["driver", "--role", "data"])
    assert (result.exit_code, result.stderr.count("SRM_TRANSPORT_KEYS_FILE: cannot read")) == (1, 1)
