"""The little of the service's REST that the command line needs."""

from typing import Any
from urllib.parse import quote

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

    def request_audit(self, flow: str, wish: dict[str, Any]) -> dict[str, Any]:
        """Ask for an audit of `source->target`; the answer has its id. Raises OperatorError."""
        return self._json("POST", f"{_path(flow)}/audits", body=wish)

    def audit(self, flow: str, number: int) -> dict[str, Any]:
        """An audit by topic. Raises OperatorError."""
        return self._json("GET", f"{_path(flow)}/audits/{number}")

    def cancel_audit(self, flow: str, number: int) -> dict[str, Any]:
        """Raises OperatorError, also when it has ended already."""
        return self._json("DELETE", f"{_path(flow)}/audits/{number}")

    def audit_report(self, flow: str, number: int) -> str:
        """The audit as Markdown. Raises OperatorError."""
        return self._send("GET", f"{_path(flow)}/audits/{number}/report").text

    def close(self) -> None:
        self._http.close()

    def _get(self, path: str, query: dict[str, str]) -> dict[str, Any]:
        return self._json("GET", path, query=query)

    def _json(
        self, method: str, path: str, *, query: dict[str, str] | None = None, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        found: dict[str, Any] = self._send(method, path, query=query, body=body).json()
        return found

    def _send(
        self, method: str, path: str, *, query: dict[str, str] | None = None, body: dict[str, Any] | None = None
    ) -> httpx.Response:
        try:
            answer = self._http.request(method, f"{self._url}{path}", params=query, json=body)
        except httpx.HTTPError as error:
            raise OperatorError(f"no answer from {self._url} ({error}): is the service running there?") from error
        if answer.status_code in (401, 403):
            raise OperatorError(f"{self._url} refuses this user ({answer.status_code}): check user and password")
        if answer.is_error:
            raise OperatorError(f"{self._url}{path} answered {answer.status_code}: {_detail(answer)}")
        return answer


def _path(flow: str) -> str:
    source, arrow, target = flow.partition("->")
    if not (source and arrow and target) or "/" in flow:
        raise OperatorError(f"{flow!r} is no flow: write source->target, in quotes")
    return f"/api/v2/replications/{quote(source)}/{quote(target)}"


def _detail(answer: httpx.Response) -> str:
    """What the service says is wrong; its errors are problem documents."""
    try:
        return str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return answer.text[:200]


def latest(flow: dict[str, Any], metric: str) -> float | None:
    """The newest value of a metric of a flow; None when it is not known."""
    value = (flow.get("metrics") or {}).get(metric) or {}
    number = value.get("latest")
    return None if number is None else float(number)
