"""Errors of the configuration as problem documents."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict

from rest_framework import exceptions, status

from replication.config import ConfigError, ConfigFinding
from replication.domain.sentences import sentence
from srm_service.configuration.contracts import (
    DraftNameTakenError,
    DraftNotFoundError,
    InvalidChangeError,
    SecretsNotSentError,
    VersionConflictError,
    VersionNotFoundError,
)
from srm_service.core.api.etags import PreconditionFailed, StateDifference, etag_of_version
from srm_service.core.api.problem import Conflict

INVALID_EXAMPLE: Mapping[int, str] = {422: "us-east->us-west.tasks.max: expected a whole number, found many"}
NO_DRAFT_EXAMPLE = "there is no draft 7; GET /api/v2/config/drafts lists all"


class InvalidConfiguration(exceptions.APIException):
    """The change would make the configuration invalid; `findings` holds every error."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_code = "unprocessable"

    def __init__(self, findings: Sequence[ConfigFinding]) -> None:
        super().__init__(_text(findings))
        self.members = {"findings": findings_answer(findings)}


@contextmanager
def configuration_problems() -> Iterator[None]:
    """Turn errors of the configuration into API errors: 404, 409, 412 with the difference, 422 with all findings.

    Secrets that are not given again are fields of the request (400), as in the forms.
    """
    try:
        yield
    except VersionConflictError as error:
        raise PreconditionFailed(str(error), etag=etag_of_version(error.current), diff=_diff(error)) from error
    except SecretsNotSentError as error:
        raise exceptions.ValidationError({"secrets": dict.fromkeys(error.names, error.text)}) from error
    except (InvalidChangeError, ConfigError) as error:
        raise InvalidConfiguration(error.findings) from error
    except (VersionNotFoundError, DraftNotFoundError) as error:
        raise exceptions.NotFound(str(error)) from error
    except DraftNameTakenError as error:
        raise Conflict(str(error)) from error


def findings_answer(findings: Iterable[ConfigFinding]) -> list[dict[str, object]]:
    return [{**asdict(each), "message": sentence(each.message)} for each in findings]


def _diff(conflict: VersionConflictError) -> list[StateDifference]:
    """Return what has changed since the version that the client knows."""
    return [{"field": each.place.key, "yours": each.before, "current": each.after} for each in conflict.differences]


def _text(findings: Iterable[ConfigFinding]) -> str:
    errors = [f"{each.key}: {each.message}" for each in findings if each.severity == "error"]
    more = f" (and {len(errors) - 3} more errors)" if len(errors) > 3 else ""
    return "; ".join(errors[:3]) + more
