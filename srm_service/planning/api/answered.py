"""Responses that hold the answer of a control worker."""

from collections.abc import Callable

from rest_framework.response import Response

from replication.domain.questions.json_shape import to_plain
from srm_service.core.api.problem import Unavailable
from srm_service.planning.selectors import NotAnsweredError


def answered(ask: Callable[[], object]) -> Response:
    """Return the answer as a response. Raises Unavailable if no control worker gives one."""
    try:
        return Response(to_plain(ask()))
    except NotAnsweredError as error:
        raise Unavailable(str(error)) from error
