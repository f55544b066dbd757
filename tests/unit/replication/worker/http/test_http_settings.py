"""The address of the HTTP port, and the certificate that it shows."""

from pathlib import Path

import pytest

from replication.worker.http.http_settings import ALL_ADDRESSES, HttpSettings, read_http_settings
from tests.support.servers.pki import STORE_PASSWORD, Authority


def settings(port: str, config: Path | None = None) -> HttpSettings | None:
    return read_http_settings(
        {"SRM_DRIVER_HTTP_PORT": port, "SRM_DRIVER_HTTP_CONFIG": "" if config is None else str(config)}
    )


def test_the_port_is_off_unless_it_is_set() -> None:
    assert settings("") is None


@pytest.mark.parametrize(
    ("value", "host", "port"),
    [
        ("9404", ALL_ADDRESSES, 9404),
        ("127.0.0.1:0", "127.0.0.1", 0),
        ("localhost:80", "localhost", 80),
        ("[::1]:9", "::1", 9),
    ],
)
def test_an_address_is_a_port_with_or_without_a_host(value: str, host: str, port: int) -> None:
    assert settings(value) == HttpSettings(host=host, port=port)


@pytest.mark.parametrize("value", ["http", "70000", "-1", "a:b", "::1:9", ":9404"])
def test_anything_else_is_refused_with_an_example(value: str) -> None:
    with pytest.raises(ValueError, match=r"SRM_DRIVER_HTTP_PORT=.*such as 9404"):
        settings(value)


def test_https_takes_the_key_store_of_the_properties_file(tmp_path: Path) -> None:
    store = Authority().issue("localhost").write_pkcs12(tmp_path / "port.p12")
    config = tmp_path / "srm.properties"
    config.write_text(
        f"clusters = east, west\nmm.rest.protocol = https\nlisteners.https.ssl.keystore.location = {store}\n"
        f"listeners.https.ssl.keystore.password = {STORE_PASSWORD}\nlisteners.https.ssl.client.auth = required\n"
    )

    found = settings("9404", config)

    assert found is not None
    assert found.tls is not None
    assert found.client_auth == "required"


def test_plain_http_needs_no_certificate(tmp_path: Path) -> None:
    config = tmp_path / "srm.properties"
    config.write_text("clusters = east, west\n")

    assert settings("9404", config) == HttpSettings(port=9404)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("mm.rest.protocol=ftp", "set it to http or https"),
        ("mm.rest.protocol=https", r"set listeners\.https\.ssl\.keystore\.location"),
        ("mm.rest.protocol=https\nlisteners.https.ssl.keystore.location=/none.p12", "there is no file /none.p12"),
    ],
)
def test_settings_of_https_that_cannot_be_used_are_named(tmp_path: Path, text: str, problem: str) -> None:
    config = tmp_path / "srm.properties"
    config.write_text(text)

    with pytest.raises(ValueError, match=problem):
        settings("9404", config)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"SRM_DRIVER_HTTP_CONFIG=.*cannot be read"):
        settings("9404", tmp_path / "none.properties")


def test_a_wrong_password_is_named_without_showing_it(tmp_path: Path) -> None:
    store = Authority().issue("localhost").write_pkcs12(tmp_path / "port.p12")
    config = tmp_path / "srm.properties"
    config.write_text(
        f"mm.rest.protocol=https\nlisteners.https.ssl.keystore.location={store}\n"
        "listeners.https.ssl.keystore.password=hidden-word\n"
    )

    with pytest.raises(ValueError, match=r"listeners\.https\.ssl\.keystore\.location") as error:
        settings("9404", config)
    assert "hidden-word" not in str(error.value)
