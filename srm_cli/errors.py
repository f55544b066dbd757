"""The one error the command line shows to a person."""


class OperatorError(Exception):
    """One line that names the thing and the remedy. Commands print it without a traceback and leave with code 1."""
