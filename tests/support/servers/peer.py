"""Another service as the gateway sees it: an HTTP server on loopback that answers as a test says."""

import contextlib
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

_ROOT = "/internal/v1/"


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerRequest:
    path: str
    query: dict[str, str]
    token: str


Answer = Callable[["PeerHandler"], None]


class PeerHandler(BaseHTTPRequestHandler):
    """One request; an answer writes to it."""

    protocol_version = "HTTP/1.1"
    peer: "ScriptedPeer"

    def do_GET(self) -> None:
        if self.peer.closing.is_set():  # this connection was open when the server stopped
            self.close_connection = True
            return
        url = urlsplit(self.path)
        path, token = url.path.removeprefix(_ROOT), self.headers.get("Authorization", "").removeprefix("Bearer ")
        self.peer.requests.append(PeerRequest(path=path, query=dict(parse_qsl(url.query)), token=token))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.peer.answer_to(path)(self)

    def send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


class ScriptedPeer:
    """`answers` are by path below the internal endpoints; `always` answers everything if it is set."""

    def __init__(self, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> None:
        self.answers: dict[str, Answer] = {}
        self.always: Answer | None = None
        self.requests: list[PeerRequest] = []
        self.closing = threading.Event()
        handler = type("Handler", (PeerHandler,), {"peer": self})
        self._server = ThreadingHTTPServer((host, 0), handler)
        self._server.daemon_threads = True
        self.host, self.protocol = host, "http" if tls is None else "https"
        if tls is not None:  # the handshake belongs to the thread of the connection
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def address(self) -> str:
        return f"{self.protocol}://{self.host}:{self.port}"

    def answer_to(self, path: str) -> Answer:
        return self.always or self.answers.get(path, status(404, {"title": "Not found", "status": 404}))

    def asked(self, path: str) -> list[PeerRequest]:
        return [request for request in self.requests if request.path == path]

    def stop(self) -> None:
        """Refuse connections from now on."""
        if not self.closing.is_set():
            self.closing.set()
            self._server.shutdown()
            self._server.server_close()
            self._thread.join(5.0)


@contextlib.contextmanager
def running_peer(host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> Iterator[ScriptedPeer]:
    peer = ScriptedPeer(host, tls)
    try:
        yield peer
    finally:
        peer.stop()


def status(code: int, body: Any) -> Answer:
    return lambda handler: handler.send(code, json.dumps(body).encode())


def says(body: Any) -> Answer:
    return status(200, body)


def garbage(handler: PeerHandler) -> None:
    handler.send(200, b"<html>Welcome</html>")


def redirect(to: str) -> Answer:
    return lambda handler: handler.send(302, b"", Location=to)


def slow(answer: Answer, seconds: float) -> Answer:
    def wait(handler: PeerHandler) -> None:
        handler.peer.closing.wait(seconds)
        answer(handler)

    return wait


def huge(handler: PeerHandler) -> None:
    """More than 16 MiB of JSON."""
    handler.send(200, b'{"v":1,"filling":"' + b"x" * (17 * 1024 * 1024) + b'"}')


def endless(handler: PeerHandler) -> None:
    """A byte now and then, for as long as the reader stays."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    while not handler.peer.closing.wait(0.05):
        handler.wfile.write(b" ")
        handler.wfile.flush()
