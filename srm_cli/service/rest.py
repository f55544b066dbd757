"""A client of the service's REST API with the calls that the command line needs."""

from collections.abc import Generator, Mapping
from typing import Any

import httpx

from srm_cli.errors import ExitCode, OperatorError
from srm_cli.service.flow_name import flow_path
from srm_cli.service.problems import check_answer, no_answer

Query = Mapping[str, str | list[str]]  # a list repeats its parameter
_API = "/api/v2"
_DRY_RUN = {"dry_run": True}
_DRY_RUN_QUERY = {"dry_run": "true"}
_TIMEOUT_SECONDS = 30.0  # a change of lists waits for a cluster


class _Token(httpx.Auth):
    """A token instead of user and password."""

    def __init__(self, token: str) -> None:
        self._token = token

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = f"Bearer {self._token}"
        yield request


class ServiceClient:
    """A client with a token or basic authentication, and one persistent connection."""

    def __init__(self, url: str, user: str, password: str, *, token: str | None = None) -> None:
        self._url = url.rstrip("/")
        login = httpx.BasicAuth(user, password) if token is None else _Token(token)
        uses_tls = not self._url.startswith("http://")  # loading the certificates takes longer than most requests
        self._http = httpx.Client(auth=login, timeout=_TIMEOUT_SECONDS, trust_env=False, verify=uses_tls)

    def replications(self) -> list[dict[str, Any]]:
        """Return all flows.

        Raises:
            OperatorError: the service does not answer or refuses the request.
        """
        return self._pages("/api/v2/replications")

    def request_audit(self, flow: str, request: dict[str, Any]) -> dict[str, Any]:
        """Request an audit of `source->target`; the response has its id. Raises OperatorError."""
        answer: dict[str, Any] = self._json("POST", f"{_path(flow)}/audits", body=request)
        return answer

    def audit(self, flow: str, number: int) -> dict[str, Any]:
        """Return an audit with its topics. Raises OperatorError."""
        answer: dict[str, Any] = self._json("GET", f"{_path(flow)}/audits/{number}")
        return answer

    def cancel_audit(self, flow: str, number: int) -> dict[str, Any]:
        """Cancel an audit. Raises OperatorError, also when it has already ended."""
        answer: dict[str, Any] = self._json("DELETE", f"{_path(flow)}/audits/{number}")
        return answer

    def audit_report(self, flow: str, number: int) -> str:
        """Return the report of an audit as Markdown. Raises OperatorError."""
        return self._send("GET", f"{_path(flow)}/audits/{number}/report").text

    def act(self, flow: str, order: Mapping[str, Any]) -> dict[str, Any]:
        """Give an order by verb and scope; `text` of the answer describes the effect. Raises OperatorError."""
        answer: dict[str, Any] = self._json("POST", f"{_path(flow)}/actions", body=order)
        return answer

    def is_applied(self, flow: str, order: Mapping[str, Any]) -> bool:
        """Return True if every task that reports has applied an order; one without id changed nothing.

        Raises OperatorError.
        """
        if order.get("id") is None:
            return bool(self._json("GET", _path(flow))["revisions"]["is_applied"])
        return bool(self._json("GET", f"{_path(flow)}/actions/{order['id']}")["state"] == "applied")

    def holds(self, flow: str) -> list[dict[str, Any]]:
        """Return the holds of a flow. Raises OperatorError."""
        return self._pages(f"{_path(flow)}/holds")

    def topic_throttles(self, flow: str) -> list[dict[str, Any]]:
        """Return the throttles of a flow's topics and partitions. Raises OperatorError."""
        return self._pages(f"{_path(flow)}/throttles")

    def hold(self, flow: str, order: dict[str, Any], *, dry_run: bool = False) -> dict[str, Any]:
        """Hold a topic or partition. Raises OperatorError."""
        body = {**order, **(_DRY_RUN if dry_run else {})}
        answer: dict[str, Any] = self._json("POST", f"{_path(flow)}/holds", body=body)
        return answer

    def release(self, flow: str, number: int, *, dry_run: bool = False) -> dict[str, Any]:
        """Release a hold. Raises OperatorError."""
        query = _DRY_RUN_QUERY if dry_run else None
        answer: dict[str, Any] = self._json("DELETE", f"{_path(flow)}/holds/{number}", query=query)
        return answer

    def resets(self, flow: str) -> list[dict[str, Any]]:
        """Return pending resets and those that ended within a day. Raises OperatorError."""
        return self._pages(f"{_path(flow)}/resets")

    def reset(self, flow: str, order: dict[str, Any]) -> list[dict[str, Any]]:
        """Order resets; returns one per partition. Raises OperatorError."""
        items: list[dict[str, Any]] = self._json("POST", f"{_path(flow)}/resets", body=order)["items"]
        return items

    def reset_dry_run(self, flow: str, order: dict[str, Any]) -> dict[str, Any]:
        """Return what a reset would copy again and skip. Raises OperatorError."""
        answer: dict[str, Any] = self._json("POST", f"{_path(flow)}/resets", body={**order, **_DRY_RUN})
        return answer

    def get(self, path: str, query: Query | None = None) -> Any:
        """Return the answer to a GET below /api/v2. Raises OperatorError."""
        return self._json("GET", f"{_API}{path}", query=query)

    def text(self, path: str, query: Query | None = None) -> str:
        """Return the answer to a GET as it is. Raises OperatorError."""
        return self._send("GET", f"{_API}{path}", query=query).text

    def pages(self, path: str, query: Query | None = None) -> list[dict[str, Any]]:
        """Return the items of all pages of a list. Raises OperatorError."""
        return self._pages(f"{_API}{path}", query)

    def send(self, method: str, path: str, body: Any = None, query: Query | None = None) -> Any:
        """Send a change; returns the answer, None without one. Raises OperatorError."""
        return self._json(method, f"{_API}{path}", body=body, query=query)

    def change(self, path: str, body: dict[str, Any]) -> Any:
        """Change an object unless another person changed it meanwhile. Raises OperatorError."""
        tag = self._send("GET", f"{_API}{path}").headers.get("ETag")
        return self._json("PATCH", f"{_API}{path}", body=body, headers={"If-Match": tag} if tag else None)

    def close(self) -> None:
        self._http.close()

    def _pages(self, path: str, query: Query | None = None) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            page = self._json("GET", path, query={**(query or {}), **({"cursor": cursor} if cursor else {})})
            items += page["items"]
            cursor = page.get("next_cursor")
            if not cursor:
                return items

    def _json(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        answer = self._send(method, path, query=query, body=body, headers=headers)
        if not answer.content:
            return None
        try:
            return answer.json()
        except ValueError as error:
            raise OperatorError(
                f"{self._url}{path} did not return JSON: check that the URL is that of the service",
                exit_code=ExitCode.SERVICE,
            ) from error

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> httpx.Response:
        try:
            answer = self._http.request(method, f"{self._url}{path}", params=query, json=body, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise no_answer(error, self._url) from error
        check_answer(answer, self._url, path)
        return answer


def _path(flow: str) -> str:
    return f"{_API}{flow_path(flow)}"


def latest(flow: dict[str, Any], metric: str) -> float | None:
    """Return the latest value of a flow's metric; None when it is unknown."""
    value = (flow.get("metrics") or {}).get(metric) or {}
    number = value.get("latest")
    return None if number is None else float(number)
