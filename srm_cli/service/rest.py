"""A client of the service's REST API with the calls that the command line needs."""

from typing import Any
from urllib.parse import quote

import httpx

from srm_cli.errors import OperatorError

_TIMEOUT_SECONDS = 10.0


class ServiceClient:
    """A client with basic authentication and one persistent connection."""

    def __init__(self, url: str, user: str, password: str) -> None:
        self._url = url.rstrip("/")
        self._http = httpx.Client(auth=(user, password), timeout=_TIMEOUT_SECONDS, trust_env=False)

    def replications(self) -> list[dict[str, Any]]:
        """Return all flows.

        Raises:
            OperatorError: the service does not answer or refuses the request.
        """
        return self._pages("/api/v2/replications")

    def request_audit(self, flow: str, request: dict[str, Any]) -> dict[str, Any]:
        """Request an audit of `source->target`; the response has its id. Raises OperatorError."""
        return self._json("POST", f"{_path(flow)}/audits", body=request)

    def audit(self, flow: str, number: int) -> dict[str, Any]:
        """Return an audit with its topics. Raises OperatorError."""
        return self._json("GET", f"{_path(flow)}/audits/{number}")

    def cancel_audit(self, flow: str, number: int) -> dict[str, Any]:
        """Cancel an audit. Raises OperatorError, also when it has already ended."""
        return self._json("DELETE", f"{_path(flow)}/audits/{number}")

    def audit_report(self, flow: str, number: int) -> str:
        """Return the report of an audit as Markdown. Raises OperatorError."""
        return self._send("GET", f"{_path(flow)}/audits/{number}/report").text

    def act(self, flow: str, action: str, *, reason: str, until_ms: int | None = None) -> str:
        """Pause or resume a flow; returns a description of the effect. Raises OperatorError."""
        body = {"action": action, "reason": reason, "until_ms": until_ms}
        return str(self._json("POST", f"{_path(flow)}/actions", body=body)["text"])

    def throttle(self, flow: str, bytes_per_second: int | None) -> None:
        """Set the throttle; None removes it. Raises OperatorError."""
        if bytes_per_second is None:
            self._json("DELETE", f"{_path(flow)}/throttle")
        else:
            self._json("PUT", f"{_path(flow)}/throttle", body={"bytes_per_second": bytes_per_second})

    def holds(self, flow: str) -> list[dict[str, Any]]:
        """Return the holds of a flow. Raises OperatorError."""
        return self._pages(f"{_path(flow)}/holds")

    def hold(self, flow: str, order: dict[str, Any]) -> None:
        """Hold a topic or partition. Raises OperatorError."""
        self._json("POST", f"{_path(flow)}/holds", body=order)

    def release(self, flow: str, number: int) -> None:
        """Release a hold. Raises OperatorError."""
        self._json("DELETE", f"{_path(flow)}/holds/{number}")

    def resets(self, flow: str) -> list[dict[str, Any]]:
        """Return pending resets and those that ended within a day. Raises OperatorError."""
        return self._pages(f"{_path(flow)}/resets")

    def reset(self, flow: str, order: dict[str, Any]) -> list[dict[str, Any]]:
        """Order resets; returns one per partition. Raises OperatorError."""
        items: list[dict[str, Any]] = self._json("POST", f"{_path(flow)}/resets", body=order)["items"]
        return items

    def close(self) -> None:
        self._http.close()

    def _pages(self, path: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            page = self._json("GET", path, query={"cursor": cursor} if cursor else {})
            items += page["items"]
            cursor = page.get("next_cursor")
            if not cursor:
                return items

    def _json(
        self, method: str, path: str, *, query: dict[str, str] | None = None, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        answer = self._send(method, path, query=query, body=body)
        try:
            found: dict[str, Any] = answer.json()
        except ValueError as error:
            raise OperatorError(
                f"{self._url}{path} did not return JSON: check that the URL is that of the service"
            ) from error
        return found

    def _send(
        self, method: str, path: str, *, query: dict[str, str] | None = None, body: dict[str, Any] | None = None
    ) -> httpx.Response:
        try:
            answer = self._http.request(method, f"{self._url}{path}", params=query, json=body)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise OperatorError(
                f"no answer from {self._url} ({error}): check the URL and that the service runs"
            ) from error
        if answer.status_code == 401:
            raise OperatorError(f"{self._url} rejects this user (401): check user name and password")
        if answer.is_error:
            raise OperatorError(f"{self._url}{path} answered {answer.status_code}: {_detail(answer)}")
        return answer


def _path(flow: str) -> str:
    source, arrow, target = flow.partition("->")
    if not (source and arrow and target) or "/" in flow:
        raise OperatorError(f"{flow!r} is not a flow: write source->target, in quotes")
    return f"/api/v2/replications/{quote(source)}/{quote(target)}"


def _detail(answer: httpx.Response) -> str:
    """Return the `detail` of a problem document, or else the start of the response."""
    try:
        return str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return answer.text[:200]


def latest(flow: dict[str, Any], metric: str) -> float | None:
    """Return the latest value of a flow's metric; None when it is unknown."""
    value = (flow.get("metrics") or {}).get(metric) or {}
    number = value.get("latest")
    return None if number is None else float(number)
