"""An OpenID Connect provider in the test's process: real HTTP, real signatures, PKCE, and faults on demand."""

import base64
import contextlib
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

CLIENT_ID, CLIENT_SECRET = "srm", "the client's secret"
_KEY_ID = "one"
_to_jwk: Any = RSAAlgorithm.to_jwk  # not typed


@lru_cache(maxsize=1)
def _own_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


class IdentityProvider:
    """`claims` describe the person who logs in; `token_changes` and `signing_key` falsify the next tokens."""

    def __init__(self) -> None:
        self.claims: dict[str, Any] = {}
        self.client_id, self.client_secret = CLIENT_ID, CLIENT_SECRET
        self.token_changes: dict[str, Any] = {}
        self.info_changes: dict[str, Any] = {}
        self.key = _own_key()
        self.signing_key = self.key
        self._codes: dict[str, dict[str, str]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def description(self) -> dict[str, Any]:
        paths = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
        endpoints = {f"{name}_endpoint": f"{self.issuer}/{path}" for name, path in paths.items()}
        return {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys", **endpoints}

    def keys(self) -> dict[str, Any]:
        public: dict[str, Any] = json.loads(_to_jwk(self.key.public_key()))
        return {"keys": [{**public, "kid": _KEY_ID, "alg": "RS256", "use": "sig"}]}

    def authorize(self, query: dict[str, str]) -> str:
        """Approve, and return the address to which the browser is sent."""
        code = f"code-{len(self._codes)}"
        self._codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def token(self, form: dict[str, str]) -> dict[str, Any] | None:
        """Return the tokens of a code, once; None if client, code or PKCE verifier are wrong."""
        asked = self._codes.pop(form.get("code", ""), None)
        verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(verifier).decode().rstrip("=")
        is_client = (form.get("client_id"), form.get("client_secret")) == (self.client_id, self.client_secret)
        if asked is None or not is_client or challenge != asked["code_challenge"]:
            return None
        now = int(time.time())
        payload = {
            "iss": self.issuer,
            "aud": self.client_id,
            "sub": self.claims["sub"],
            "iat": now,
            "exp": now + 60,
            "nonce": asked["nonce"],
            **self.token_changes,
        }
        token = jwt.encode(payload, self.signing_key, algorithm="RS256", headers={"kid": _KEY_ID})
        return {"access_token": "access", "token_type": "Bearer", "id_token": token}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextlib.contextmanager
def identity_provider() -> Iterator[IdentityProvider]:
    """A running provider."""
    provider = IdentityProvider()
    try:
        yield provider
    finally:
        provider.close()


def _handler(provider: IdentityProvider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            if url.path == "/authorize":
                self.send_response(302)
                self.send_header("Location", provider.authorize(query))
                self.end_headers()
                return
            documents: dict[str, Callable[[], dict[str, Any]]] = {
                "/.well-known/openid-configuration": provider.description,
                "/keys": provider.keys,
                "/userinfo": lambda: {**provider.claims, **provider.info_changes},
            }
            self._answer(documents[url.path]() if url.path in documents else None)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer(provider.token({name: values[0] for name, values in parse_qs(body).items()}))

        def _answer(self, document: dict[str, Any] | None) -> None:
            self.send_response(200 if document is not None else 400)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(document).encode())

        def log_message(self, format: str, *args: Any) -> None:
            """Stay quiet."""

    return Handler
