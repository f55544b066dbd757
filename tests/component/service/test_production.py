"""Production settings pass Django's checks of a deployment, and no log holds a password."""

import base64
import logging
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.test import Client

from tests.component.service.conftest import BOTH

ROOT = Path(__file__).parents[3]


def _check(tmp_path: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "SRM_HOME": str(tmp_path),
        "SRM_DJANGO_SECRET_KEY": "0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "SRM_REDIS_URL": "redis://127.0.0.1:6379/0",
        "SRM_SECRET_KEYS": Fernet.generate_key().decode(),
        "SRM_TRANSPORT_KEYS": Fernet.generate_key().decode(),
        "DJANGO_SETTINGS_MODULE": "srm_service.settings.production",
        **changes,
    }
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def test_production_settings_pass_the_checks_of_a_deployment(tmp_path: Path) -> None:
    done = _check(tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert "System check identified no issues" in done.stdout


def test_a_provider_without_a_client_is_found_before_the_start(tmp_path: Path) -> None:
    done = _check(tmp_path, SRM_OIDC_ISSUER="https://login.example")

    assert done.returncode != 0
    assert "SRM_OIDC_CLIENT_ID" in done.stderr


@BOTH
def test_no_log_holds_the_password_of_the_admin(
    tmp_path: Path, settings: Any, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    settings.SRM_HOME = tmp_path
    caplog.set_level(logging.DEBUG)
    shown = StringIO()
    call_command("ensure_admin", stdout=shown)
    password = (tmp_path / "admin-password").read_text().strip()

    client = Client()
    assert client.post("/login", {"username": "admin", "password": password}).status_code == 302
    assert client.post("/login", {"username": password, "password": "admin"}).status_code in (200, 302)
    for _ in range(12):
        Client().post("/login", {"username": password, "password": password})
    text = base64.b64encode(f"admin:{password}".encode()).decode()
    Client().get("/api/v2/me", headers={"Authorization": f"Basic {text}"})
    Client().get("/api/v2/me", headers={"Authorization": f"Bearer {password}"})

    assert caplog.records
    written = capfd.readouterr()
    for known in (password, text):
        assert known not in caplog.text + shown.getvalue() + written.out + written.err
