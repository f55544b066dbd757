"""A real port: probes, HTTPS with a key store, slow and many clients."""

import http.client
import json
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

import pytest

from replication.config.security.tls import Store, TlsSettings
from replication.worker.http.http_port import MOST_CONNECTIONS, HttpPort, HttpPortError, PageContent
from replication.worker.http.http_settings import ClientAuth, HttpSettings
from tests.support.eventually import eventually
from tests.support.servers.pki import STORE_PASSWORD, Authority, Identity

MISSING = ("redis: it does not answer",)
PAGES = {
    "/livez": lambda: PageContent.probe(()),
    "/readyz": lambda: PageContent.probe(MISSING),
    "/broken": lambda: 1 / 0,
}


@contextmanager
def opened(tls: TlsSettings | None = None, client_auth: ClientAuth = "none") -> Iterator[HttpPort]:
    port = HttpPort(HttpSettings(host="127.0.0.1", port=0, tls=tls, client_auth=client_auth), PAGES)  # type: ignore[arg-type]
    port.start()
    try:
        yield port
    finally:
        port.stop()


def get(port: HttpPort, path: str, method: str = "GET") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port.port, timeout=30)
    connection.request(method, path)
    answer = connection.getresponse()
    return answer.status, answer.read()


def test_a_probe_names_what_is_missing() -> None:
    with opened() as port:
        assert get(port, "/livez") == (200, b'{"status": "ok", "missing": []}\n')
        status, body = get(port, "/readyz?verbose")
        assert (status, json.loads(body)["missing"]) == (503, list(MISSING))


def test_other_pages_are_named_and_a_broken_page_breaks_nothing_else() -> None:
    with opened() as port:
        assert get(port, "/") == (404, b"no such page; there are /broken, /livez, /readyz\n")
        assert get(port, "/broken")[0] == HTTPStatus.INTERNAL_SERVER_ERROR
        assert get(port, "/livez", "HEAD") == (200, b"")
        assert get(port, "/livez", "POST")[0] == HTTPStatus.NOT_IMPLEMENTED


def test_a_taken_port_is_refused_with_the_remedy() -> None:
    with opened() as port, pytest.raises(HttpPortError, match=r"cannot be opened: .*SRM_DRIVER_HTTP_PORT"):
        HttpPort(HttpSettings(host="127.0.0.1", port=port.port), PAGES)  # type: ignore[arg-type]


def test_silent_clients_hold_a_few_connections_only() -> None:
    with opened() as port:
        silent = [socket.create_connection(("127.0.0.1", port.port)) for _ in range(2 * MOST_CONNECTIONS)]
        try:
            eventually(lambda: _answers(port), 60, "an answer after the silent clients have timed out")
        finally:
            for each in silent:
                each.close()


def _answers(port: HttpPort) -> bool:
    try:
        return get(port, "/livez")[0] == HTTPStatus.OK
    except OSError:
        return False


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def store(authority: Authority, tmp_path: Path) -> Path:
    return authority.issue("localhost").write_pkcs12(tmp_path / "port.p12")


def server(store: Path, trusted: Path | None = None) -> TlsSettings:
    return TlsSettings(
        identity=Store(key="ssl.keystore.location", path=str(store), password=STORE_PASSWORD),
        trusted=None if trusted is None else Store(key="ssl.truststore.location", path=str(trusted)),
    )


def client(authority: Authority, folder: Path, identity: Identity | None = None) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(authority.write_pem(folder / "root.pem")))
    context.check_hostname = False
    if identity is not None:
        context.load_cert_chain(identity.write_pem(folder / "client.pem"))
    return context


def get_https(port: HttpPort, context: ssl.SSLContext) -> tuple[int, bytes]:
    """Return the status and the certificate that the port shows."""
    connection = http.client.HTTPSConnection("127.0.0.1", port.port, timeout=30, context=context)
    connection.request("GET", "/livez")
    shown = connection.sock.getpeercert(binary_form=True)
    assert isinstance(shown, bytes)
    return connection.getresponse().status, shown


def test_https_shows_the_certificate_of_the_key_store(authority: Authority, store: Path, tmp_path: Path) -> None:
    with opened(server(store)) as port:
        assert port.protocol == "https"
        assert get_https(port, client(authority, tmp_path))[0] == HTTPStatus.OK


def test_a_replaced_key_store_applies_to_the_next_connection(authority: Authority, store: Path, tmp_path: Path) -> None:
    with opened(server(store)) as port:
        before = get_https(port, client(authority, tmp_path))[1]
        store.write_bytes(b"not a store")
        assert get_https(port, client(authority, tmp_path))[1] == before
        authority.issue("localhost").write_pkcs12(store)

        assert get_https(port, client(authority, tmp_path))[1] != before


@pytest.mark.parametrize("content", [None, b"not a store"])
def test_a_certificate_that_cannot_be_used_is_refused_with_its_remedy(content: bytes | None, tmp_path: Path) -> None:
    store = tmp_path / "port.p12"
    if content is not None:
        store.write_bytes(content)
    with pytest.raises(HttpPortError, match=r"certificate.*port\.p12.*listeners\.https\.\*") as error:
        HttpPort(HttpSettings(host="127.0.0.1", port=0, tls=server(store)), PAGES)  # type: ignore[arg-type]
    assert "SRM_DRIVER_HTTP_PORT" not in str(error.value)


def test_clients_need_a_certificate_where_it_is_required(authority: Authority, store: Path, tmp_path: Path) -> None:
    with opened(server(store, authority.write_pem(tmp_path / "clients.pem")), "required") as port:
        assert get_https(port, client(authority, tmp_path, authority.issue("scraper")))[0] == HTTPStatus.OK
        with pytest.raises((ssl.SSLError, OSError, http.client.HTTPException)):
            get_https(port, client(authority, tmp_path))


def test_plain_http_to_an_https_port_disturbs_no_one(authority: Authority, store: Path, tmp_path: Path) -> None:
    with opened(server(store)) as port:
        with pytest.raises((OSError, http.client.HTTPException)):
            get(port, "/livez")
        assert get_https(port, client(authority, tmp_path))[0] == HTTPStatus.OK
