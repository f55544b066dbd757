"""The settings that `srm service` chooses for an address."""

import pytest

from srm_cli.commands.service import settings_module


@pytest.mark.parametrize(
    ("host", "plain_http", "module", "warns"),
    [
        ("127.0.0.1", False, "local", False),
        ("127.8.8.8", False, "local", False),
        ("localhost", False, "local", False),
        ("::1", False, "local", False),
        ("0.0.0.0", False, "production", False),  # noqa: S104 - the case in question
        ("10.1.2.3", False, "production", False),
        ("srm.example.com", False, "production", False),
        ("0.0.0.0", True, "local", True),  # noqa: S104
    ],
)
def test_only_loopback_has_cookies_without_tls(
    capsys: pytest.CaptureFixture[str], host: str, plain_http: bool, module: str, warns: bool
) -> None:
    assert settings_module(host, plain_http=plain_http) == f"srm_service.settings.{module}"
    assert ("without TLS" in capsys.readouterr().err) is warns
