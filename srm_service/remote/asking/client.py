"""The HTTP client for other services: one address, one credential, a time limit, a cap, and nothing else.

A redirect is an error, so that the credential never leaves for another address. The proxies of the environment are not
used. Certificates are always verified.
"""

import asyncio
import ssl
import time
from collections.abc import Mapping

import httpx
import orjson

from srm_service.remote.contracts import PeerReply

MOST_BYTES = 16 * 1024 * 1024
_LIMITS = httpx.Limits(max_connections=200, max_keepalive_connections=50, keepalive_expiry=30.0)


class PeerError(Exception):
    """Another service does not answer, or not as expected; one line with the reason. `received_bytes` is its cost."""

    def __init__(self, text: str, received_bytes: int = 0) -> None:
        super().__init__(text)
        self.received_bytes = received_bytes


class PeerClient:
    """Belongs to one event loop."""

    def __init__(self, *, ca_file: str, timeout_s: float) -> None:
        context = ssl.create_default_context(cafile=ca_file or None)
        self._timeout_s = timeout_s
        self._http = httpx.AsyncClient(
            verify=context, follow_redirects=False, trust_env=False, timeout=timeout_s, limits=_LIMITS
        )

    async def get(
        self, address: str, path: str, *, token: str, params: Mapping[str, str], timeout_s: float | None = None
    ) -> PeerReply:
        """Return the JSON answer below the internal endpoints of an address. Raises PeerError."""
        limit_s = self._timeout_s if timeout_s is None else min(timeout_s, self._timeout_s)
        counted = _Counted()
        try:
            async with asyncio.timeout(limit_s):
                return await self._get(f"{address}/internal/v1/{path}", token, params, counted)
        except TimeoutError as error:
            raise PeerError(f"does not answer within {limit_s * 1000:.0f} ms", counted.total) from error
        except httpx.HTTPError as error:
            raise PeerError(f"cannot be reached: {_reason(error)}", counted.total) from error
        except PeerError as error:
            error.received_bytes = counted.total
            raise

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _get(self, url: str, token: str, params: Mapping[str, str], counted: "_Counted") -> PeerReply:
        began_s = time.monotonic()
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        async with self._http.stream("GET", url, params=dict(params), headers=headers) as response:
            body = bytearray()
            async for part in response.aiter_bytes():
                counted.total = response.num_bytes_downloaded
                body += part
                if len(body) > MOST_BYTES:
                    raise PeerError(f"answers more than {MOST_BYTES // 1024 // 1024} MiB")
            counted.total = response.num_bytes_downloaded
        if response.is_redirect:
            raise PeerError("answers with a redirect, which is not followed: advertise the address behind it")
        try:
            content = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise PeerError(f"answers {response.status_code} without JSON: is it a service of this kind?") from error
        return PeerReply(
            status=response.status_code,
            body=content,
            received_bytes=counted.total,
            round_trip_ms=int((time.monotonic() - began_s) * 1000),
        )


class _Counted:
    def __init__(self) -> None:
        self.total = 0


def _reason(error: httpx.HTTPError) -> str:
    """Return the text of an error; those of a lost connection have none."""
    if text := str(error)[:200]:
        return text
    return "no answer in time" if isinstance(error, httpx.TimeoutException) else "the connection was lost"
