"""One line that tells whether records flow, from the same REST everybody else uses."""

import asyncio
import contextlib
import shutil
import sys
import time
from typing import Any

import click

from srm_cli.errors import OperatorError

_TERMINAL_SECONDS, _LOG_SECONDS = 2.0, 30.0


class StatusLine:
    """On a terminal it is rewritten in place; in a log it comes twice a minute."""

    def __init__(self, url: str, user: str, password: str) -> None:
        from srm_cli.service.rest import ServiceClient  # httpx takes a while to load

        self._client = ServiceClient(url, user, password)
        self._is_terminal = sys.stdout.isatty()

    async def show_forever(self) -> None:
        while True:
            try:
                line = flows_line(await asyncio.to_thread(self._client.replications))
            except OperatorError as error:
                line = str(error)
            with contextlib.suppress(OSError):  # a closed terminal
                self._show(line)
            await asyncio.sleep(_TERMINAL_SECONDS if self._is_terminal else _LOG_SECONDS)

    def _show(self, line: str) -> None:
        stamped = f"{time.strftime('%H:%M:%S')} {line}"
        if self._is_terminal:
            click.echo(f"\r\033[K{stamped[: shutil.get_terminal_size().columns - 1]}", nl=False)
        else:
            click.echo(stamped)


def flows_line(flows: list[dict[str, Any]]) -> str:
    """`us-east->eu-central healthy 1,200 records/s | ...`; an unmeasured rate is `?`, disabled flows are skipped."""
    from srm_cli.service.rest import latest

    parts = []
    for flow in flows:
        if flow["status"] == "disabled":
            continue
        rate = latest(flow, "records_per_second")
        shown = "?" if rate is None else f"{rate:,.0f}"
        parts.append(f"{flow['source']}->{flow['target']} {flow['status']} {shown} records/s")
    return " | ".join(parts) or "no flows yet"
