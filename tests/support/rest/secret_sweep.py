"""Finds planted secrets: in answers, pages, frames of the live socket, databases, Redis and files of a service."""

import base64
import binascii
import secrets
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import redis

from tests.support.servers.service import RunningService


class Sweep:
    """The secrets that were planted, by the way in, and all answers in which they must not be."""

    def __init__(self, service: RunningService) -> None:
        self.service = service
        self.secrets: dict[str, str] = {}
        self.texts: list[tuple[str, bytes]] = []
        self.admin = self.client("admin", service.admin_password)

    def client(self, name: str, password: str) -> httpx.Client:
        """Return a client of this person; a question that no driver answers takes ten seconds."""
        return httpx.Client(base_url=self.service.url, auth=(name, password), trust_env=False, timeout=60.0)

    def plant(self, way: str) -> str:
        """Return a new secret; its random part is what the sweep looks for."""
        self.secrets[way] = f"planted{secrets.token_hex(12)}"
        return self.secrets[way]

    def send(self, method: str, path: str, body: Any = None, **options: Any) -> httpx.Response:
        """Send as the admin, and keep the answer for the sweep."""
        client = options.pop("client", self.admin)
        answer: httpx.Response = client.request(method, path, json=body, **options)
        self.keep(f"{method} {path}", answer)
        return answer

    def keep(self, name: str, answer: httpx.Response) -> None:
        assert answer.status_code < 500 or answer.status_code == 503, (name, answer.text)
        head = "\n".join(f"{key}: {value}" for key, value in answer.headers.items())
        self.texts.append((f"{name} {answer.status_code}", head.encode() + answer.content))

    def found(self) -> list[tuple[str, str]]:
        """Return where each secret is: the way in, and the place."""
        places = [*self.texts, *_database_texts(self.service.home), *self._files()]
        return [
            (way, place)
            for way, secret in self.secrets.items()
            for place, text in places
            for spelling in _spellings(secret)
            if spelling in text
        ]

    def _files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the bytes of the log and of the databases, with what deleted rows left there."""
        for path in sorted(self.service.home.rglob("*")):
            if path.is_file() and path.name not in ("secrets.json", "admin-password"):
                yield str(path.relative_to(self.service.home)), path.read_bytes()


def _spellings(secret: str) -> Iterator[bytes]:
    """Yield the secret, and what base64 and hex make of it, regardless of what is before it."""
    plain = secret.encode()
    yield plain
    yield plain.hex().encode()
    for before in range(3):
        coded = base64.b64encode(b"x" * before + plain)
        yield coded[4 if before else 0 : len(coded) - 4]


def _database_texts(home: Path) -> Iterator[tuple[str, bytes]]:
    """Yield all values of all tables, those of sessions also decoded."""
    for file in sorted(home.rglob("*.sqlite3")):
        with closing(sqlite3.connect(file)) as connection:
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            for table in tables:
                for row in connection.execute(f'SELECT * FROM "{table}"'):
                    for value in row:
                        text = value if isinstance(value, bytes) else str(value).encode()
                        yield f"{file.name}: {table}", text + _decompressed(text)


def _decompressed(text: bytes) -> bytes:
    """Return the content of a signed value as Django compresses it: `.base64:time:signature`."""
    if not text.startswith(b"."):
        return b""
    coded = text[1:].partition(b":")[0]
    try:
        return zlib.decompress(base64.urlsafe_b64decode(coded + b"=" * (-len(coded) % 4)))
    except (binascii.Error, zlib.error):
        return b""


def redis_texts(client: redis.Redis) -> Iterator[tuple[str, bytes]]:
    """Yield all keys with their content."""
    readers: dict[str, Callable[[bytes], Any]] = {
        "string": client.get,
        "hash": client.hgetall,
        "list": lambda key: client.lrange(key, 0, -1),
        "set": client.smembers,
        "zset": lambda key: client.zrange(key, 0, -1),
        "stream": client.xrange,
    }
    for key in client.scan_iter():
        kind = str(client.type(key), "ascii")  # type: ignore[arg-type]  # bytes, without decode_responses
        yield f"redis: {key!r}", repr((key, readers[kind](key))).encode()
