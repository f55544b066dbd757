"""Keys are made once and stay private."""

import stat
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from srm_cli.errors import OperatorError
from srm_cli.machine.home import HomeFolder
from srm_cli.machine.own_secrets import ensure_secrets, remember_embedded_redis


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HomeFolder:
    for name in ("SRM_REDIS_URL", "SRM_TRANSPORT_KEYS", "SRM_SECRET_KEYS", "SRM_DJANGO_SECRET_KEY"):
        monkeypatch.delenv(name, raising=False)
    return HomeFolder(path=tmp_path)


def test_keys_are_usable_and_the_same_the_next_time(folder: HomeFolder) -> None:
    first = ensure_secrets(folder)
    Fernet(first["SRM_TRANSPORT_KEYS"])
    assert ensure_secrets(folder) == first
    assert first["SRM_TRANSPORT_KEYS"] != first["SRM_SECRET_KEYS"]


def test_only_the_owner_can_read_the_file(folder: HomeFolder) -> None:
    ensure_secrets(folder)
    assert stat.S_IMODE(folder.secrets_file.stat().st_mode) == 0o600


def test_a_key_from_outside_wins_and_is_not_written_down(folder: HomeFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SRM_SECRET_KEYS", "from-outside")
    assert ensure_secrets(folder)["SRM_SECRET_KEYS"] == "from-outside"
    assert "from-outside" not in folder.secrets_file.read_text()


def test_commands_run_by_hand_find_the_embedded_redis(folder: HomeFolder) -> None:
    password = ensure_secrets(folder)["SRM_REDIS_PASSWORD"]
    remember_embedded_redis(folder, 12345)
    assert ensure_secrets(folder)["SRM_REDIS_URL"] == f"redis://:{password}@127.0.0.1:12345/0"


def test_a_damaged_file_is_named_and_not_replaced(folder: HomeFolder) -> None:
    folder.secrets_file.write_text("{")
    with pytest.raises(OperatorError, match=r"secrets\.json is damaged"):
        ensure_secrets(folder)
    assert folder.secrets_file.read_text() == "{"
