"""A service that is played: it records requests and answers by method and path."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from srm_cli.control.main import srm_control


@dataclass
class Played:
    """Records requests to the service, and answers by method and path; the entries of a list are used one by one."""

    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    answers: dict[tuple[str, str], Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    received: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    def answer(self, method: str, path: str) -> tuple[int, Any]:
        found = self.answers.get((method, path))
        if isinstance(found, list):
            found = found.pop(0) if len(found) > 1 else found[0]
        if found is None:
            return 404, {"detail": "there is no replication"}
        return (
            found.get("status", 200) if isinstance(found, dict) and isinstance(found.get("status"), int) else 200
        ), found


@contextmanager
def playing() -> Iterator[Played]:
    played = Played()

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            played.received.append(dict(self.headers.items()))
            played.asked.append((self.command, self.path, body))
            status, content = played.answer(self.command, self.path)
            self.send_response(status)
            for name, value in played.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content.encode() if isinstance(content, str) else json.dumps(content).encode())

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    played.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield played
    server.shutdown()
    server.server_close()
    thread.join(5)


def control(service: Played, tmp_path: Path, *arguments: str, stdin: str | None = None) -> Result:
    password = tmp_path / "password"
    password.write_text("secret")
    access = ["--url", service.url, "--password-file", str(password)]
    return CliRunner().invoke(srm_control, [*access, *arguments], input=stdin)
