"""Serves probes and metrics in separate threads; a slow or hostile client holds one of a few connections only."""

import json
import socket
import socketserver
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import structlog

from replication.config.security.ssl_context import server_context
from replication.config.security.tls import TlsSettings, fingerprint
from replication.worker.http.http_settings import ClientAuth, HttpSettings

log = structlog.get_logger(__name__)
MOST_CONNECTIONS = 8
CLIENT_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContent:
    """The body of a page, which is rendered for each request."""

    status: HTTPStatus
    content_type: str
    body: bytes

    @classmethod
    def probe(cls, missing: tuple[str, ...]) -> "PageContent":
        """Return 200, or 503 with the missing parts."""
        status = HTTPStatus.SERVICE_UNAVAILABLE if missing else HTTPStatus.OK
        body = {"status": "ok" if not missing else "unavailable", "missing": list(missing)}
        return cls(status=status, content_type="application/json", body=json.dumps(body).encode() + b"\n")


class HttpPortError(RuntimeError):
    """The port cannot be opened; the text names the remedy."""


class _CertificateError(Exception):
    """The certificate cannot be used; the cause says why."""


Pages = Mapping[str, Callable[[], PageContent]]


class HttpPort:
    """Bound when it is made, served from `start` to `stop`."""

    def __init__(self, settings: HttpSettings, pages: Pages) -> None:
        """Raises HttpPortError."""
        self._settings = settings
        try:
            self._server = _Server(settings, pages)
        except _CertificateError as error:
            raise HttpPortError(
                f"the certificate of the HTTP port cannot be used: {error.__cause__}; correct listeners.https.* in the "
                "file that SRM_DRIVER_HTTP_CONFIG (--config) names"
            ) from error
        except (OSError, ValueError) as error:
            raise HttpPortError(
                f"the HTTP port {settings.host}:{settings.port} cannot be opened: {error}; set SRM_DRIVER_HTTP_PORT to "
                "another port, or to 0 for any free one"
            ) from error
        self._thread = threading.Thread(target=self._server.serve_forever, name="srm-http", daemon=True)

    @property
    def port(self) -> int:
        """The bound port."""
        return int(self._server.server_address[1])

    @property
    def protocol(self) -> str:
        return "http" if self._settings.tls is None else "https"

    def start(self) -> None:
        self._thread.start()
        log.info("http port open", protocol=self.protocol, host=self._settings.host, port=self.port)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 16

    def __init__(self, settings: HttpSettings, pages: Pages) -> None:
        self.address_family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        self._settings_host = settings.host
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        try:
            self._identity = None if settings.tls is None else _Identity(settings.tls, settings.client_auth)
        except (OSError, ValueError) as error:
            raise _CertificateError from error
        super().__init__((settings.host, settings.port), _handler(pages))

    def server_bind(self) -> None:
        """Bind without a look-up of our name, which may block."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self._settings_host, int(self.server_address[1])

    def get_request(self) -> tuple[Any, Any]:
        """Accept a connection; the handshake of TLS belongs to the thread of the connection."""
        connection, address = self.socket.accept()
        connection.settimeout(CLIENT_TIMEOUT_S)
        if self._identity is None:
            return connection, address
        try:
            context = self._identity.context()
            return context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address
        except (OSError, ValueError) as error:
            connection.close()
            raise OSError(f"the certificate cannot be used: {error}") from error

    def verify_request(self, request: Any, client_address: Any) -> bool:
        return self._free.acquire(blocking=False)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that breaks off is no event; a page that fails was logged by its handler."""
        log.debug("http connection failed", client=str(client_address))


class _Identity:
    """The certificate of the port; a file that was replaced applies to the next connection."""

    def __init__(self, tls: TlsSettings, client_auth: ClientAuth) -> None:
        self._tls = tls
        self._client_auth: ClientAuth = client_auth
        self._seen = fingerprint(tls.paths())
        self._context = server_context(tls, client_auth)

    def context(self) -> ssl.SSLContext:
        """Return the context; one that cannot be made of a replaced file leaves the last one in force."""
        seen = fingerprint(self._tls.paths())
        if seen != self._seen:
            self._seen = seen
            try:
                self._context = server_context(self._tls, self._client_auth)
                log.info("certificate of the http port read again")
            except (OSError, ValueError) as error:
                log.warning("certificate of the http port cannot be read, the previous one applies", error=str(error))
        return self._context


def _handler(pages: Pages) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = CLIENT_TIMEOUT_S
        server_version = "srm-driver"
        sys_version = ""

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def _answer(self, *, with_body: bool) -> None:
            page = pages.get(self.path.partition("?")[0])
            answer = _unknown(pages) if page is None else _made(page)
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.content_type)
            self.send_header("Content-Length", str(len(answer.body)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            if with_body:
                self.wfile.write(answer.body)

        def log_message(self, format: str, *args: object) -> None:
            log.debug("http request", line=format % args)

    return Handler


def _made(page: Callable[[], PageContent]) -> PageContent:
    try:
        return page()
    except Exception:
        log.exception("page of the http port failed")
        return _text(HTTPStatus.INTERNAL_SERVER_ERROR, "the page failed; the log of the driver has the reason")


def _unknown(pages: Pages) -> PageContent:
    return _text(HTTPStatus.NOT_FOUND, f"no such page; there are {', '.join(sorted(pages))}")


def _text(status: HTTPStatus, text: str) -> PageContent:
    return PageContent(status=status, content_type="text/plain; charset=utf-8", body=f"{text}\n".encode())
