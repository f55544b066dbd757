"""Clients of a service in a process of their own: `python -m tests.benchmarks.service.clients KIND URL TOKEN PATH N S`.

`readers` send a request each second, evenly spread; the time of an answer begins when its request was due, so that a
slow service does not slow the clients down unseen. `loops` send the next request as soon as they have an answer, which
tells how much the service answers at most. `sockets` listen to a live topic and count frames and holes in
their numbers. Prints one JSON object. The HTTP client is as small as possible: it shares the machine with the service.
"""

import asyncio
import json
import sys
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import orjson
from websockets.asyncio.client import connect

WARM_UP_S = 5.0
_WAIT_S = 60.0


@dataclass(slots=True)
class Answers:
    took_ms: list[float] = field(default_factory=list)
    requests: int = 0
    answer_bytes: int = 0
    errors: int = 0


async def readers(url: str, token: str, path: str, number: int, seconds: float) -> dict[str, Any]:
    return await _read(url, token, path, number, seconds, every_s=1.0)


async def loops(url: str, token: str, path: str, number: int, seconds: float) -> dict[str, Any]:
    return await _read(url, token, path, number, seconds, every_s=0.0)


async def _read(url: str, token: str, path: str, number: int, seconds: float, *, every_s: float) -> dict[str, Any]:
    """Return the 50th, 95th and 99th percentile of the answers after a warm-up, and how many there were a second."""
    answers = Answers()
    began_s, request = time.monotonic() + 1.0, _request(url, token, path)
    end_s = began_s + seconds
    await asyncio.gather(
        *(_reader(url, request, began_s + each / number, end_s, every_s, answers) for each in range(number))
    )
    in_order = sorted(answers.took_ms)
    return {
        "answers": len(in_order),
        "requests": answers.requests,
        "errors": answers.errors,
        "bytes": answers.answer_bytes,
        "per_second": len(in_order) / (seconds - WARM_UP_S),
        **{f"p{share}_ms": in_order[int(share / 100 * (len(in_order) - 1))] for share in (50, 95, 99)},
    }


def _request(url: str, token: str, path: str) -> bytes:
    head = f"GET {path} HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\nAuthorization: Bearer {token}\r\n"
    return f"{head}Accept: application/json\r\nAccept-Encoding: gzip\r\n\r\n".encode()


async def _reader(url: str, request: bytes, first_s: float, end_s: float, every_s: float, answers: Answers) -> None:
    place = urlsplit(url)
    await asyncio.sleep(max(0.0, first_s - time.monotonic()))  # a worker that answers others accepts later
    reading, writing = await asyncio.open_connection(place.hostname, place.port, limit=2**20)
    due_s = first_s
    while due_s < end_s:
        await asyncio.sleep(max(0.0, due_s - time.monotonic()))
        writing.write(request)
        answers.requests += 1
        found = await reading.readuntil(b"\r\n\r\n")
        length = next(line for line in found.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        body = await reading.readexactly(int(length.split(b":")[1]))
        if due_s - first_s >= WARM_UP_S:
            answers.took_ms.append((time.monotonic() - due_s) * 1_000)
            answers.errors += b" 200 " not in found[:15]
            answers.answer_bytes = len(body)
        due_s = due_s + every_s if every_s else time.monotonic()
    writing.close()


async def sockets(url: str, token: str, topic: str, number: int, seconds: float) -> dict[str, Any]:
    """Return the frames of all sockets per second, those that were missed, and how old frames were."""
    until_s = asyncio.get_running_loop().time() + number / 50 + WARM_UP_S + seconds
    found = await asyncio.gather(*(_listen(url, token, topic, each / 50, until_s) for each in range(number)))
    late = sorted(age for _, _, ages in found for age in ages)
    return {
        "frames": sum(frames for frames, _, _ in found),
        "least": min(frames for frames, _, _ in found),
        "missed": sum(missed for _, missed, _ in found),
        "p95_ms": late[int(0.95 * (len(late) - 1))] if late else 0.0,
    }


async def _listen(url: str, token: str, topic: str, wait_s: float, until_s: float) -> tuple[int, int, list[float]]:
    loop = asyncio.get_running_loop()
    await asyncio.sleep(wait_s)
    address, headers = f"{url.replace('http', 'ws', 1)}/ws/v1/live", {"Authorization": f"Bearer {token}"}
    frames, missed, last, ages = 0, 0, 0, []
    async with connect(
        address, additional_headers=headers, proxy=None, open_timeout=_WAIT_S, max_size=None, ping_interval=None
    ) as socket:
        await socket.send(orjson.dumps({"op": "sub", "topic": topic}).decode())
        while loop.time() < until_s:
            try:
                async with asyncio.timeout_at(until_s):
                    text = await socket.recv(decode=False)
            except TimeoutError:
                break
            # the start of a frame is enough: its clients are many and share the machine
            head = orjson.loads(bytes(text[: text.index(b',"columns"')]) + b"}") if b',"columns"' in text[:300] else {}
            if head.get("type") == "delta":
                frames += 1
                missed += max(0, head["seq"] - last - 1) if last else 0
                last = head["seq"]
                ages.append(time.time() * 1_000 - head["time_ms"])
    return frames, missed, ages


if __name__ == "__main__":
    kind, *given = sys.argv[1:]
    work = {"readers": readers, "loops": loops, "sockets": sockets}[kind]
    print(json.dumps(asyncio.run(work(given[0], given[1], given[2], int(given[3]), float(given[4])))))
