"""`srm audit`: compare a flow's source and copy record by record, through the service."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from srm_cli.errors import OperatorError
from srm_cli.service.access import ServiceAccess, service_options

if TYPE_CHECKING:
    from srm_cli.service.rest import ServiceClient

_POLL_EVERY_S = 1.0
_ENDED = ("done", "failed", "cancelled")
_DIFFERENT, _NOT_PROVEN = 1, 2  # exit codes


@click.command("audit")
@click.argument("flow", metavar="SOURCE->TARGET")
@click.option("--topic", "topics", multiple=True, help="Only this source topic; may be repeated.  [all of the flow]")
@click.option("--incremental", is_flag=True, help="Only records newer than the last proof.")
@click.option("--sample", type=click.IntRange(2), metavar="N", help="Compare one range of offsets in N.")
@click.option("--max-offsets", type=click.IntRange(1), metavar="N", help="At most N source offsets per partition.")
@click.option("--rate", type=click.IntRange(1), metavar="N", help="At most N records per second from both clusters.")
@click.option("--strict", is_flag=True, help="Use SHA-256 instead of a 64-bit hash.")
@click.option("--wait", is_flag=True, help="Wait for the end and print the report; Ctrl-C cancels the audit.")
@click.option("--cancel", type=click.IntRange(1), metavar="ID", help="Cancel this audit and start none.")
@service_options
def command(
    flow: str, wait: bool, cancel: int | None, url: str, user: str, password_file: Path | None, **given: Any
) -> None:
    """Prove that a flow's copy holds every record, or report the differences.

    \b
    Exit codes:
      0  with --wait: no differences (records copied more than once are
         allowed); without: the audit is requested or cancelled
      1  only with --wait: records are missing, changed, reordered, unexpected
      2  all other cases: no response, login or audit refused, invalid option,
         interrupted, audit failed, or some topics could not be compared

    \b
    Examples:
      srm audit 'us-east->eu-central' --wait
      srm audit 'us-east->eu-central' --topic orders --incremental
      srm audit 'us-east->eu-central' --cancel 12
    """
    access = ServiceAccess(url, user, password_file)
    if cancel is None:
        _run(flow, _request(**given), access, wait=wait)
    elif wait or any(given.values()):
        raise OperatorError("--cancel takes no other option", exit_code=_NOT_PROVEN)
    else:
        _cancel(flow, cancel, access)


def _cancel(flow: str, number: int, access: ServiceAccess) -> None:
    with _failures_prove_nothing(access.url):
        access.client().cancel_audit(flow, number)
        click.echo(f"audit {number} of {flow} is cancelled")


def _request(
    topics: tuple[str, ...],
    incremental: bool,
    sample: int | None,
    max_offsets: int | None,
    rate: int | None,
    strict: bool,
) -> dict[str, Any]:
    """The body of the request; options that are not set are omitted."""
    if incremental and sample:
        raise OperatorError("--incremental and --sample exclude each other", exit_code=_NOT_PROVEN)
    mode = "incremental" if incremental else "sample" if sample else "full"
    given = {"topics": list(topics), "sample": sample, "max_offsets": max_offsets, "records_per_second": rate}
    return {"mode": mode, "strict": strict, **{name: value for name, value in given.items() if value}}


def _run(flow: str, request: dict[str, Any], access: ServiceAccess, *, wait: bool) -> None:
    with _failures_prove_nothing(access.url):
        client = access.client()
        number = int(client.request_audit(flow, request)["id"])
        click.echo(f"audit {number} of {flow} requested", err=True)
        if not wait:
            click.echo(f"{access.url}/api/v2/replications/{flow.replace('->', '/')}/audits/{number}")
            return
        audit = _wait_until_ended(client, flow, number)
        click.echo(client.audit_report(flow, number), nl=False)
        sys.exit(_exit_code(audit))


@contextmanager
def _failures_prove_nothing(url: str) -> Iterator[None]:
    """Exit with 2 on any failure, because exit code 1 means that records differ."""
    try:
        yield
    except OperatorError as error:
        raise OperatorError(str(error), exit_code=_NOT_PROVEN) from error
    except KeyboardInterrupt:
        raise OperatorError("interrupted; a requested audit continues", exit_code=_NOT_PROVEN) from None
    except (KeyError, TypeError, ValueError) as error:
        text = f"the answer of {url} is not about an audit ({error!r}): check the URL"
        raise OperatorError(text, exit_code=_NOT_PROVEN) from error


def _wait_until_ended(client: "ServiceClient", flow: str, number: int) -> dict[str, Any]:
    """Poll the audit until it has ended, and print its progress."""
    printed = ""
    try:
        while True:
            audit = client.audit(flow, number)
            line = _progress(audit)
            if line != printed:
                click.echo(line, err=True)
                printed = line
            if audit["state"] in _ENDED:
                return audit
            time.sleep(_POLL_EVERY_S)
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
