"""Waits until the service reports an effect."""

import time
from collections.abc import Callable

import click

from srm_cli.errors import ExitCode, OperatorError

_POLL_EVERY_S = 1.0
WAIT = click.option("--wait", is_flag=True, help="Wait until the change has taken effect.")
TIMEOUT = click.option(
    "--timeout",
    type=click.IntRange(1),
    default=60,
    show_default=True,
    metavar="SECONDS",
    help="With --wait: exit with 6 after this time.",
)


def wait_until(is_done: Callable[[], bool], timeout_s: float, *, what: str) -> None:
    """Poll until `is_done`. Raises OperatorError after the time-out; the change remains ordered."""
    deadline = time.monotonic() + timeout_s
    while not is_done():
        if time.monotonic() >= deadline:
            raise OperatorError(
                f"{what} has not happened after {timeout_s:g} s: check that drivers run; the change remains ordered",
                exit_code=ExitCode.TIMEOUT,
            )
        time.sleep(min(_POLL_EVERY_S, max(0.0, deadline - time.monotonic())))
