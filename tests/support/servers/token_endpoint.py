"""An identity provider of one endpoint: tokens for one client, and the key they are signed with."""

import base64
import contextlib
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

CLIENT_ID, CLIENT_SECRET, AUDIENCE = "srm-client", "client, secret", "kafka"


class TokenEndpoint:
    """`granted` counts tokens; `life_s` may be changed between them."""

    def __init__(self) -> None:
        self.granted = 0
        self.life_s = 300
        self._key = rsa.generate_private_key(65537, 2048)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def token(self) -> dict[str, Any]:
        self.granted += 1
        now = int(time.time())
        claims = {
            "sub": CLIENT_ID,
            "aud": AUDIENCE,
            "iss": "test",
            "iat": now,
            "exp": now + self.life_s,
            "scope": "kafka",
        }
        body = f"{_part({'alg': 'RS256', 'typ': 'JWT', 'kid': 'one'})}.{_part(claims)}"
        signature = self._key.sign(body.encode(), padding.PKCS1v15(), hashes.SHA256())
        return {"access_token": f"{body}.{_text(signature)}", "token_type": "Bearer", "expires_in": self.life_s}

    def keys(self) -> dict[str, Any]:
        numbers = self._key.public_key().public_numbers()
        number = {
            name: _text(value.to_bytes((value.bit_length() + 7) // 8, "big"))
            for name, value in (("n", numbers.n), ("e", numbers.e))
        }
        return {"keys": [{"kty": "RSA", "kid": "one", "use": "sig", "alg": "RS256", **number}]}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextlib.contextmanager
def running_token_endpoint() -> Iterator[TokenEndpoint]:
    endpoint = TokenEndpoint()
    try:
        yield endpoint
    finally:
        endpoint.close()


def _handler(endpoint: TokenEndpoint) -> type[BaseHTTPRequestHandler]:
    wanted = "Basic " + base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
            if self.headers.get("Authorization") == wanted:
                self._answer(200, endpoint.token())
            else:
                self._answer(401, {"error": "invalid_client"})

        def do_GET(self) -> None:
            self._answer(200, endpoint.keys())

        def _answer(self, status: int, document: dict[str, Any]) -> None:
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:  # the base class's name
            """Quiet."""

    return Handler


def _part(document: dict[str, Any]) -> str:
    return _text(json.dumps(document).encode())


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
