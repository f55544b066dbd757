"""The operations of the committed OpenAPI document, with addresses of things that exist in `world`."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DOCUMENT = Path(__file__).parents[3] / "frontend" / "openapi.json"
METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path."""

    method: str
    path: str
    described: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(self.described["operationId"])

    @property
    def statuses(self) -> set[int]:
        """The documented statuses."""
        return {int(status) for status in self.described["responses"]}

    @property
    def takes_body(self) -> bool:
        return "requestBody" in self.described

    @property
    def is_list(self) -> bool:
        return {"limit", "cursor"} <= self.parameters("query")

    def parameters(self, place: str) -> set[str]:
        """Return the names of the parameters in `query`, `path` or `header`."""
        return {each["name"] for each in self.described.get("parameters", ()) if each["in"] == place}

    def orderings(self) -> list[str]:
        """Return the orders that a list offers."""
        named = [each["schema"] for each in self.described["parameters"] if each["name"] == "ordering"]
        return [order for schema in named for order in schema["enum"]]

    def address(self, known: Mapping[str, str]) -> str:
        """Return the path with these values of its parameters, and what its query requires."""
        required = [
            f"{each['name']}={known[each['name']]}"
            for each in self.described.get("parameters", ())
            if each["in"] == "query" and each.get("required")
        ]
        path = self.path.format(**{name: known[name] for name in self.parameters("path")})
        return f"{path}?{'&'.join(required)}" if required else path


def operations() -> Iterator[Operation]:
    """Yield all operations by path."""
    document = json.loads(DOCUMENT.read_text())
    for path, described in sorted(document["paths"].items()):
        for method in METHODS:
            if method in described:
                yield Operation(method=method, path=path, described=described[method])


OPERATIONS = tuple(operations())
