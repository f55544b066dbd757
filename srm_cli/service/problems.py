"""Turns answers of the service that are errors into errors for operators, with the exit code of their kind."""

from typing import Any

import httpx

from srm_cli.errors import ExitCode, OperatorError

_CODES = {401: ExitCode.RIGHTS, 403: ExitCode.RIGHTS, 404: ExitCode.NOT_FOUND, 504: ExitCode.TIMEOUT}
_FIRST_SERVER_ERROR = 500


def check_answer(answer: httpx.Response, url: str, path: str) -> None:
    """Raises OperatorError for an error answer."""
    if not answer.is_error:
        return
    code = exit_code_of(answer.status_code)
    if answer.status_code == 401:
        text = "check user name and password, or whether the token has expired or is revoked"
        raise OperatorError(f"{url} rejects this user (401): {text}", exit_code=code)
    raise OperatorError(f"{_detail(answer)} ({answer.status_code} of {url}{path})", exit_code=code)


def exit_code_of(status: int) -> ExitCode:
    """Return the exit code for the status of an error answer."""
    default = ExitCode.SERVICE if status >= _FIRST_SERVER_ERROR else ExitCode.REFUSED
    return _CODES.get(status, default)


def no_answer(error: Exception, url: str) -> OperatorError:
    """Return the error for a service that does not answer."""
    code = ExitCode.TIMEOUT if isinstance(error, httpx.TimeoutException) else ExitCode.SERVICE
    return OperatorError(f"no answer from {url} ({error}): check the URL and that the service runs", exit_code=code)


def _detail(answer: httpx.Response) -> str:
    """Return the `detail` of a problem document with its hint and differences, or else the start of the response."""
    try:
        document: dict[str, Any] = answer.json()
        detail = " ".join([str(document["detail"]), *filter(None, [document.get("hint")])])
    except (ValueError, KeyError, TypeError):
        return answer.text[:200]
    differences = document.get("diff") or []
    lines = [f"  {each.get('field')}: {each.get('yours')} -> {each.get('current')}" for each in differences]
    remedy = ["another person has changed it meanwhile (yours -> current); repeat the command"] if differences else []
    return "\n".join([detail, *remedy, *lines])
