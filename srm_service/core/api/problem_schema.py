"""Adds the problem document to every operation of the OpenAPI document."""

from typing import Any

_PROBLEM: dict[str, Any] = {
    "type": "object",
    "description": "RFC 9457 problem details; `request_id` identifies the log lines, `errors` names invalid fields.",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {"type": "string"},
        "request_id": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"field": {"type": "string"}, "detail": {"type": "string"}},
                "required": ["field", "detail"],
            },
        },
    },
    "required": ["type", "title", "status", "detail", "instance", "request_id"],
}
_METHODS = ("get", "post", "put", "patch", "delete")


def add_problem_responses(result: dict[str, Any], generator: Any, **kwargs: Any) -> dict[str, Any]:
    """spectacular's hook: add a `default` response for all errors."""
    result.setdefault("components", {}).setdefault("schemas", {})["Problem"] = _PROBLEM
    answer = {
        "description": "Error",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for path, operations in result["paths"].items():
        if path.startswith("/api/"):
            for method in _METHODS:
                if method in operations:
                    operations[method]["responses"]["default"] = answer
    return result
