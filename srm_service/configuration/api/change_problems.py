"""Refused changes of the tree as problem documents."""

from collections.abc import Iterator
from contextlib import contextmanager

from rest_framework.exceptions import ValidationError

from srm_service.configuration.contracts import InvalidChangeError, VersionConflictError
from srm_service.core.api.etags import PreconditionFailed, etag_of_version


@contextmanager
def change_problems() -> Iterator[None]:
    """Answer an invalid change with 400 that names each key, and a lost race with 412 and the differences."""
    try:
        yield
    except InvalidChangeError as error:
        found: dict[str, list[str]] = {}
        for finding in error.findings:
            found.setdefault(finding.key, []).append(finding.message)
        raise ValidationError(found) from error
    except VersionConflictError as error:
        raise PreconditionFailed(
            str(error),
            etag=etag_of_version(error.current),
            diff=[{"field": each.place.key, "yours": each.before, "current": each.after} for each in error.differences],
        ) from error
