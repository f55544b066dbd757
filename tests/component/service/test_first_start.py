"""The first start: accounts, password file, both databases."""

import stat
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.checks import run_checks
from django.core.management import call_command

from srm_service.core.auth.accounts import admin_ensure
from srm_service.core.auth.roles import role_of
from tests.component.service.conftest import BOTH

pytestmark = BOTH


def test_the_first_admin_has_a_random_password_in_a_private_file(tmp_path: Path) -> None:
    password = admin_ensure(tmp_path / "state" / "admin-password")

    file = tmp_path / "state" / "admin-password"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text().strip() == password
    user = authenticate(username="admin", password=password)
    assert isinstance(user, User)
    assert role_of(user) == "admin"


def test_no_start_prints_the_password_and_a_second_one_makes_no_second_admin(tmp_path: Path, settings: Any) -> None:
    settings.SRM_HOME = tmp_path
    first, second = StringIO(), StringIO()
    call_command("ensure_admin", stdout=first)
    password = (tmp_path / "admin-password").read_text().strip()

    call_command("ensure_admin", stdout=second)

    assert password not in first.getvalue() + second.getvalue()
    assert str(tmp_path / "admin-password") in first.getvalue()
    assert User.objects.filter(is_superuser=True).count() == 1


def test_an_open_password_file_of_before_is_replaced_by_a_private_one(tmp_path: Path) -> None:
    file = tmp_path / "admin-password"
    file.write_text("old")
    file.chmod(0o644)

    admin_ensure(file)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_no_migration_is_missing() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


@pytest.mark.parametrize("keys", [(), ("not a key",)], ids=["no key", "no Fernet key"])
def test_bad_keys_are_found_at_start_with_the_remedy(settings: Any, keys: tuple[str, ...]) -> None:
    settings.SRM_TRANSPORT_KEYS = keys

    messages = [message for message in run_checks() if "SRM_TRANSPORT_KEYS" in str(message.msg)]

    assert messages
    assert messages[0].hint
