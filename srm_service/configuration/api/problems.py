"""Errors of the configuration as problem documents, and the version in a request's `If-Match`."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict

from rest_framework import exceptions, status
from rest_framework.request import Request

from replication.config import ConfigError, ConfigFinding
from srm_service.configuration.contracts import (
    DraftNameTakenError,
    DraftNotFoundError,
    InvalidChangeError,
    VersionConflictError,
    VersionNotFoundError,
)
from srm_service.core.api.problem import Conflict


class StaleVersion(exceptions.APIException):
    """The configuration is no longer at the version that `If-Match` names; `diff` holds what has changed since."""

    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_code = "precondition_failed"

    def __init__(self, detail: str, conflict: VersionConflictError) -> None:
        super().__init__(detail)
        self.members = {
            "expected_version": conflict.expected,
            "current_version": conflict.current,
            "diff": [
                {"field": each.place.key, "yours": each.before, "current": each.after} for each in conflict.differences
            ],
        }


class InvalidConfiguration(exceptions.APIException):
    """The change would make the configuration invalid; `findings` holds every error."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_code = "unprocessable"

    def __init__(self, findings: Sequence[ConfigFinding]) -> None:
        super().__init__(_text(findings))
        self.members = {"findings": findings_answer(findings)}


@contextmanager
def configuration_problems() -> Iterator[None]:
    """Turn errors of the configuration into API errors: 404, 409, 412 with the difference, 422 with all findings."""
    try:
        yield
    except VersionConflictError as error:
        raise StaleVersion(str(error), error) from error
    except (InvalidChangeError, ConfigError) as error:
        raise InvalidConfiguration(error.findings) from error
    except (VersionNotFoundError, DraftNotFoundError) as error:
        raise exceptions.NotFound(str(error)) from error
    except DraftNameTakenError as error:
        raise Conflict(str(error)) from error


def findings_answer(findings: Iterable[ConfigFinding]) -> list[dict[str, object]]:
    return [asdict(each) for each in findings]


def expected_version(request: Request) -> int | None:
    """Return the version in `If-Match`; None without one. Raises ValidationError."""
    value = request.headers.get("If-Match", "").strip()
    if value in ("", "*"):
        return None
    text = value.removeprefix("W/").strip('"')
    if not text.isdecimal() or not text.isascii() or len(text) > 9:
        raise exceptions.ValidationError({"If-Match": f'must be the ETag of an answer, such as "12", not {value[:50]}'})
    return int(text)


def etag(version: int) -> dict[str, str]:
    """Return the header that names the version of the configuration."""
    return {"ETag": f'"{version}"'}


def _text(findings: Iterable[ConfigFinding]) -> str:
    errors = [f"{each.key}: {each.message}" for each in findings if each.severity == "error"]
    more = f" (and {len(errors) - 3} more errors)" if len(errors) > 3 else ""
    return "; ".join(errors[:3]) + more
