"""The error that the command line shows to operators."""


class OperatorError(Exception):
    """An error that names its cause and remedy. Commands print it without a traceback and exit with its code."""

    def __init__(self, text: str, *, exit_code: int = 1) -> None:
        super().__init__(text)
        self.exit_code = exit_code
