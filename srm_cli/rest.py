"""The little of the service's REST that the command line needs."""

from typing import Any

import httpx

from srm_cli.errors import OperatorError

_TIMEOUT_SECONDS = 10.0


class ServiceClient:
    """Basic authentication; one connection is kept."""

    def __init__(self, url: str, user: str, password: str) -> None:
        self._url = url.rstrip("/")
        self._http = httpx.Client(auth=(user, password), timeout=_TIMEOUT_SECONDS, trust_env=False)

    def replications(self) -> list[dict[str, Any]]:
        """All flows, page by page.

        Raises:
            OperatorError: the service does not answer, or refuses.
        """
        items: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            page = self._get("/api/v2/replications", {"cursor": cursor} if cursor else {})
            items += page["items"]
            cursor = page.get("next_cursor")
            if not cursor:
                return items

    def close(self) -> None:
        self._http.close()

    def _get(self, path: str, query: dict[str, str]) -> dict[str, Any]:
        try:
            answer = self._http.get(f"{self._url}{path}", params=query)
        except httpx.HTTPError as error:
            raise OperatorError(f"no answer from {self._url} ({error}): is the service running there?") from error
        if answer.status_code in (401, 403):
            raise OperatorError(f"{self._url} refuses this user ({answer.status_code}): check user and password")
        if answer.is_error:
            raise OperatorError(f"{self._url}{path} answered {answer.status_code}: {answer.text[:200]}")
        body: dict[str, Any] = answer.json()
        return body


def latest(flow: dict[str, Any], metric: str) -> float | None:
    """The newest value of a metric of a flow; None when it is not known."""
    value = (flow.get("metrics") or {}).get(metric) or {}
    number = value.get("latest")
    return None if number is None else float(number)
