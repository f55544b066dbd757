"""The error that the command line shows to operators, and its exit codes."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of `srm-control`; click itself exits with USAGE."""

    OK = 0
    REFUSED = 1
    USAGE = 2
    NOT_FOUND = 3
    RIGHTS = 4
    SERVICE = 5
    TIMEOUT = 6


class OperatorError(Exception):
    """An error that names its cause and remedy. Commands print it without a traceback and exit with its code."""

    def __init__(self, text: str, *, exit_code: int = ExitCode.REFUSED) -> None:
        super().__init__(text)
        self.exit_code = exit_code


class UsageError(OperatorError):
    """An argument or option has an invalid value."""

    def __init__(self, text: str) -> None:
        super().__init__(text, exit_code=ExitCode.USAGE)
