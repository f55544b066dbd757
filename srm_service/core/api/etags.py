"""Optimistic locks: changes of an object that has changed since it was read are answered with 412 and a diff.

An answer carries `tagged(response, etag)`. A change calls `check_match(request, etag, diff=...)` inside its
transaction, with the etag of the object as it is.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

from rest_framework import exceptions, status
from rest_framework.request import Request
from rest_framework.response import Response

_TAG = re.compile(r'(?:W/)?"([^"]*)"')


class StateDifference(TypedDict):
    """One changed value: as the client saw it or wants it, and as it is. None: it is not there, or not known."""

    field: str
    yours: Any
    current: Any


class PreconditionFailed(exceptions.APIException):
    """The object has changed; the problem document lists the differences."""

    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_code = "precondition_failed"

    def __init__(self, detail: str, *, etag: str, diff: Sequence[StateDifference] = ()) -> None:
        super().__init__(detail)
        self.etag = etag
        self.diff = list(diff)


def etag_of_version(version: int) -> str:
    """Return the ETag of an object that counts its versions."""
    return f'"{version}"'


def etag_of(content: Any) -> str:
    """Return the ETag of an object without versions: a hash of what is JSON in it."""
    text = json.dumps(content, sort_keys=True, default=str, separators=(",", ":"))
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def tagged(response: Response, etag: str) -> Response:
    """Return the response with an ETag."""
    response.headers["ETag"] = etag
    return response


def matched_version(request: Request) -> int | None:
    """Return the version in `If-Match`; None without the header or for `*`. Raises ValidationError for other text."""
    tags = _tags(request)
    if tags is None:
        return None
    if len(tags) == 1 and tags[0].isdigit() and len(tags[0]) < 19:
        return int(tags[0])
    raise exceptions.ValidationError({"If-Match": 'expected the ETag of one version, such as "7", or *'})


def check_match(request: Request, etag: str, diff: Callable[[], Sequence[StateDifference]] = tuple) -> None:
    """Raise PreconditionFailed unless `If-Match` is absent, `*`, or names this ETag.

    Compression makes ETags weak on their way, so weak ones match.
    """
    tags = _tags(request)
    if tags is not None and etag.strip('"') not in tags:
        raise PreconditionFailed(
            f"this has changed since you read it: read it again, then send If-Match: {etag}", etag=etag, diff=diff()
        )


def differences(yours: Mapping[str, Any], current: Mapping[str, Any]) -> list[StateDifference]:
    """Return the fields of `yours` that differ from the current ones, by name."""
    return [
        {"field": name, "yours": yours[name], "current": current.get(name)}
        for name in sorted(yours)
        if yours[name] != current.get(name)
    ]


def _tags(request: Request) -> list[str] | None:
    """Return the opaque tags of `If-Match`; None if every version is welcome."""
    header = request.headers.get("If-Match", "").strip()
    if not header or header == "*":
        return None
    tags = _TAG.findall(header)
    if not tags or _TAG.sub("", header).strip(" ,"):
        raise exceptions.ValidationError({"If-Match": 'expected ETags in quotes, such as "7", or *'})
    return list(tags)
