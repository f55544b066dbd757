"""`srm audit`: compare a flow's source and copy record by record, through the service."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from srm_cli.errors import OperatorError
from srm_cli.service_access import read_password, service_options

if TYPE_CHECKING:
    from srm_cli.rest import ServiceClient

_LOOK_EVERY_S = 1.0
_ENDED = ("done", "failed", "cancelled")
_DIFFERENT, _NOT_PROVEN = 1, 2  # exit codes


@click.command("audit")
@click.argument("flow", metavar="SOURCE->TARGET")
@click.option("--topic", "topics", multiple=True, help="Only this source topic; may be repeated.  [all of the flow]")
@click.option("--incremental", is_flag=True, help="Only what is newer than the last proof.")
@click.option("--sample", type=click.IntRange(2), metavar="N", help="Compare one stretch in N.")
@click.option("--max-offsets", type=click.IntRange(1), metavar="N", help="Source offsets per partition in this run.")
@click.option("--rate", type=click.IntRange(1), metavar="N", help="Records per second of both clusters together.")
@click.option("--strict", is_flag=True, help="SHA-256 instead of a 64-bit hash.")
@click.option("--wait", is_flag=True, help="Stay until it has ended, then print the report; Ctrl-C cancels the audit.")
@service_options
def command(
    flow: str,
    topics: tuple[str, ...],
    incremental: bool,
    sample: int | None,
    max_offsets: int | None,
    rate: int | None,
    strict: bool,
    wait: bool,
    url: str,
    user: str,
    password_file: Path | None,
) -> None:
    """Prove that a flow's copy holds every record, or say where it does not.

    \b
    Exit codes:
      0  with --wait: nothing is wrong (records copied more than once are
         allowed); without: the audit is asked for
      1  only with --wait: records are missing, changed, reordered, unexpected
      2  anything else: no answer, login or audit refused, a wrong option,
         interrupted, not ended well, or not everything could be compared

    \b
    Examples:
      srm audit 'us-east->eu-central' --wait
      srm audit 'us-east->eu-central' --topic orders --incremental
    """
    from srm_cli.rest import ServiceClient  # httpx takes a while to load; --help does without

    with _failures_prove_nothing(url):
        if incremental and sample:
            raise OperatorError("--incremental and --sample exclude each other")
        mode = "incremental" if incremental else "sample" if sample else "full"
        given = {"topics": list(topics), "sample": sample, "max_offsets": max_offsets, "records_per_second": rate}
        wish = {"mode": mode, "strict": strict, **{name: value for name, value in given.items() if value}}
        client = ServiceClient(url, user, read_password(password_file))
        number = int(client.request_audit(flow, wish)["id"])
        click.echo(f"audit {number} of {flow} requested", err=True)
        if not wait:
            click.echo(f"{url}/api/v2/replications/{flow.replace('->', '/')}/audits/{number}")
            return
        audit = _ended(client, flow, number)
        click.echo(client.audit_report(flow, number), nl=False)
        sys.exit(_exit_code(audit))


@contextmanager
def _failures_prove_nothing(url: str) -> Iterator[None]:
    """Exit code 1 says that records differ, so whatever goes wrong on the way there ends with 2."""
    try:
        yield
    except OperatorError as error:
        raise OperatorError(str(error), exit_code=_NOT_PROVEN) from error
    except KeyboardInterrupt:
        raise OperatorError("interrupted; an audit that was asked for goes on", exit_code=_NOT_PROVEN) from None
    except (KeyError, TypeError, ValueError) as error:
        text = f"the answer of {url} is none about an audit ({error!r}): is the service running there?"
        raise OperatorError(text, exit_code=_NOT_PROVEN) from error


def _ended(client: "ServiceClient", flow: str, number: int) -> dict[str, Any]:
    """Follow the audit to its end; a line for each step."""
    said = ""
    try:
        while True:
            audit = client.audit(flow, number)
            line = _progress(audit)
            if line != said:
                click.echo(line, err=True)
                said = line
            if audit["state"] in _ENDED:
                return audit
            time.sleep(_LOOK_EVERY_S)
    except KeyboardInterrupt:
        client.cancel_audit(flow, number)
        raise OperatorError(f"audit {number} cancelled") from None


def _progress(audit: dict[str, Any]) -> str:
    progress = audit["progress"]
    if audit["state"] == "requested":
        return "waiting for the metrics process of the target"
    done = "" if progress["done"] is None else f"{100 * progress['done']:3.0f} %  "
    return f"{done}{progress['text'] or audit['state']}"


def _exit_code(audit: dict[str, Any]) -> int:
    if audit["verdict"] == "different":
        return _DIFFERENT
    return 0 if audit["state"] == "done" and audit["verdict"] != "unknown" else _NOT_PROVEN
