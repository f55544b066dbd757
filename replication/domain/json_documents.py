"""Reads JSON that others may have written."""

import json
from typing import Any


def read_json(text: str | bytes) -> Any:
    """Raises ValueError for what is no JSON, and for objects and arrays that are too deep inside one another."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("objects and arrays are too deep inside one another") from error


def read_object(text: bytes | None) -> dict[str, Any]:
    """Return the fields of an object; none for what cannot be read."""
    try:
        found = {} if text is None else read_json(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
