"""Parses request bodies: strict JSON of a bounded depth."""

from collections.abc import Mapping
from typing import IO, Any

import orjson
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from srm_service.core.api.problem import TooLarge
from srm_service.core.web.body_limit import MOST_BYTES, TOO_LARGE

MOST_DEPTH = 32


class StrictJsonParser(BaseParser):
    """Refuses what Python's parser accepts and later steps cannot handle: lone surrogates, NaN, deep nesting."""

    media_type = "application/json"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        body = stream.read(MOST_BYTES + 1)
        if len(body) > MOST_BYTES:
            raise TooLarge(TOO_LARGE)
        try:
            value = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise ParseError(f"the body is not valid JSON: {error}") from error
        if is_deeper(value, MOST_DEPTH):
            raise ParseError(f"the body is nested more than {MOST_DEPTH} levels deep")
        return value


def is_deeper(value: Any, most: int) -> bool:
    """Return True if arrays and objects are nested more than `most` levels deep."""
    level = [value]
    for _ in range(most + 1):
        level = [inner for outer in level for inner in _inner(outer)]
        if not level:
            return False
    return True


def _inner(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
