"""A browser of Django's admin: logs in, fills in forms and follows links."""

from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from types import TracebackType
from typing import Self
from urllib.parse import urljoin, urlsplit

import httpx

_MOST_PAGES = 400


class _Page(HTMLParser):
    """The links of a page, and the values of its form as a browser would send them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.values: dict[str, str] = {}
        self._area = ""
        self._select = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        name = has.get("name", "")
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        elif tag == "input" and name and has.get("type") not in ("submit", "checkbox", "radio"):
            self.values[name] = has.get("value", "")
        elif tag == "input" and name and "checked" in has:
            self.values[name] = has.get("value", "on")
        elif tag == "textarea":
            self._area = name
            self.values[name] = ""
        elif tag == "select":
            self._select = name
        elif tag == "option" and "selected" in has:
            self.values[self._select] = has.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = ""

    def handle_data(self, data: str) -> None:
        if self._area:
            self.values[self._area] += data.removeprefix("\n").removeprefix("\r\n")


class AdminBrowser:
    """Logs in with the login page; `keep` receives every answer with its name."""

    def __init__(self, url: str, name: str, password: str, keep: Callable[[str, httpx.Response], None]) -> None:
        self._client = httpx.Client(base_url=url, trust_env=False)
        self._keep = keep
        self._client.get("/login")
        form = {"username": name, "password": password, "csrfmiddlewaretoken": self._client.cookies["csrftoken"]}
        assert self._client.post("/login", data=form).status_code == 302

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def get(self, path: str) -> httpx.Response:
        answer = self._client.get(path)
        self._keep(f"GET {path}", answer)
        return answer

    def send(self, path: str, **values: str) -> httpx.Response:
        """Fill in the form of a page and send it; 200 is the page with its errors, 302 is success."""
        form: Mapping[str, str] = {**_Page(self.get(path).text).values, **values}
        answer = self._client.post(path, data=dict(form))
        self._keep(f"POST {path}", answer)
        return answer

    def read_everything(self, start: str) -> int:
        """Follow the links below the start, but those that log out, order or filter; returns the number of pages."""
        waiting, seen, shown = [start], {start}, 0
        while waiting and len(seen) < _MOST_PAGES:
            path = waiting.pop(0)
            answer = self.get(path)
            shown += answer.status_code == 200
            for link in _Page(answer.text).links if "html" in answer.headers.get("Content-Type", "") else ():
                target = urljoin(path, link)
                is_page = urlsplit(target).path.startswith(start) and "logout" not in target
                if is_page and not urlsplit(target).query and target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return shown
