"""The one error the command line shows to a person."""


class OperatorError(Exception):
    """One line that names the thing and the remedy. Commands print it without a traceback and leave with its code."""

    def __init__(self, text: str, *, exit_code: int = 1) -> None:
        super().__init__(text)
        self.exit_code = exit_code
