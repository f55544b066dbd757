"""`srm-control clusters`: list, add, change, test and delete clusters."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from srm_cli.control.labels import filter_of, filter_options, label_options, labels_of
from srm_cli.control.output import OUTPUT, columns, show_document, show_object, show_rows
from srm_cli.control.values import read_pairs, time_column
from srm_cli.errors import OperatorError, UsageError
from srm_cli.help_text import CommandGroup
from srm_cli.service.access import ServiceAccess
from srm_cli.service.flow_name import split_flow

_CHECK_WAITS_S = (0.3, 0.7, 1.0, 2.0)  # a check ends after 3.5 s
_ALIAS = click.argument("alias")
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Only print what would change.")
_COLUMNS = columns(
    "ALIAS=alias",
    "BOOTSTRAP=bootstrap",
    "REACHABLE=reachable",
    "BROKERS=brokers",
    "KAFKA=kafka_version",
    "OWNER=owner",
    "ERROR=error",
)


def _settings_options(command: Any) -> Any:
    options = (
        click.option("--bootstrap-servers", metavar="HOST:PORT,...", help="Addresses of brokers."),
        click.option("--client", multiple=True, metavar="KEY=VALUE", help="A client setting under Java's name."),
        click.option(
            "--secret",
            multiple=True,
            metavar="KEY=VALUE",
            help="A client setting that is never shown; better ${env:NAME} or ${file:PATH:KEY} than the secret.",
        ),
        click.option(
            "--secret-file", multiple=True, metavar="KEY=PATH", help="A client setting that is read from a file."
        ),
        click.option("--location", type=click.Choice(["colocated", "external"]), help="Category of the cluster."),
    )
    for option in reversed(options):
        command = option(command)
    return command


_DISCOVERED = (
    *columns("SOURCE=source", "TARGET=target", "SOURCE REGISTERED=source_is_registered"),
    time_column("LAST HEARTBEAT", "heartbeat_ms"),
)


@click.group("clusters", cls=CommandGroup)
def clusters() -> None:
    """List, add, change, test and delete clusters.

    \b
    Examples:
      srm-control clusters list
      srm-control clusters add west --bootstrap-servers west-1:9092,west-2:9092
      srm-control clusters test west
    """


@clusters.command("list")
@filter_options("clusters")
@OUTPUT
@click.pass_obj
def list_clusters(access: ServiceAccess, /, output: str, **filters: Any) -> None:
    """List all clusters with their reachability; waits some seconds for clusters that are being checked.

    \b
    Examples:
      srm-control clusters list -o csv
      srm-control clusters list --criticality high --label team=payments
    """
    show_rows(checked(lambda: access.client().pages("/clusters", filter_of(filters))), _COLUMNS, output)


def checked(read: Callable[[], Sequence[Mapping[str, Any]]]) -> Sequence[Mapping[str, Any]]:
    """The clusters once all are checked, or when that takes too long: the first reading asks for the checks."""
    rows = read()
    for wait_s in _CHECK_WAITS_S:
        if all(row["reachable"] is not None or row["problem"] for row in rows):
            break
        time.sleep(wait_s)
        rows = read()
    return rows


@clusters.command("show")
@_ALIAS
@OUTPUT
@click.pass_obj
def show(access: ServiceAccess, alias: str, output: str) -> None:
    """Show one cluster; secrets are only named.

    \b
    Example:
      srm-control clusters show us-east
    """
    show_object(access.client().get(_path(alias)), output)


@clusters.command("add")
@_ALIAS
@_settings_options
@label_options
@_DRY_RUN
@click.pass_obj
def add(access: ServiceAccess, /, alias: str, dry_run: bool, **given: Any) -> None:
    """Add a cluster.

    \b
    Examples:
      srm-control clusters add us-east --bootstrap-servers us1:9092,us2:9092
      srm-control clusters add eu --bootstrap-servers eu:9093 --client security.protocol=SSL --owner ann
    """
    body = _body(given)
    if "bootstrap" not in body:
        raise UsageError("a cluster needs --bootstrap-servers")
    if not dry_run:
        access.client().send("POST", "/clusters", {"alias": alias, **body})
    click.echo(f"cluster {alias} is added{' (dry run)' if dry_run else ''}")


@clusters.command("change")
@_ALIAS
@_settings_options
@label_options
@click.option("--unset", multiple=True, metavar="KEY", help="Remove a client setting.")
@_DRY_RUN
@click.pass_obj
def change(access: ServiceAccess, /, alias: str, unset: tuple[str, ...], dry_run: bool, **given: Any) -> None:
    """Change a cluster; settings that are not named stay.

    \b
    Example:
      srm-control clusters change us-east --bootstrap-servers us3:9092 --unset client.rack
    """
    body = _body(given)
    if unset:
        body["client"] = {**body.get("client", {}), **dict.fromkeys(unset)}
    if not body:
        raise UsageError("nothing to change: see --help")
    if not dry_run:
        access.client().change(_path(alias), body)
    click.echo(f"cluster {alias} is changed{' (dry run)' if dry_run else ''}")


@clusters.command("delete")
@_ALIAS
@click.option("--yes", is_flag=True, help="Do not ask.")
@_DRY_RUN
@click.pass_obj
def delete(access: ServiceAccess, alias: str, yes: bool, dry_run: bool) -> None:
    """Delete a cluster that no flow uses.

    \b
    Example:
      srm-control clusters delete us-east --yes
    """
    if dry_run:
        click.echo(f"cluster {alias} is deleted (dry run)")
        return
    if not yes:
        click.confirm(f"Delete cluster {alias}?", abort=True)
    access.client().send("DELETE", _path(alias))
    click.echo(f"cluster {alias} is deleted")


@clusters.command("test")
@_ALIAS
@OUTPUT
@click.pass_obj
def test(access: ServiceAccess, alias: str, output: str) -> None:
    """Test the connection to each broker step by step. Exits with 1 if a step fails.

    \b
    Example:
      srm-control clusters test us-east
    """
    report = access.client().send("POST", f"{_path(alias)}/test", {})
    if output in ("json", "yaml"):
        show_document(report, output)
    else:
        show_rows(_step_rows(report), columns("BROKER=address", "STEP=step", "RESULT=result", "TEXT=text"), output)
    if not report["ok"]:
        raise OperatorError(f"the connection test of {alias} has failed: {report.get('problem') or report['error']}")


@clusters.command("discovered")
@OUTPUT
@click.pass_obj
def discovered(access: ServiceAccess, output: str) -> None:
    """List flows that were seen in heartbeats and that are not registered.

    \b
    Example:
      srm-control clusters discovered
    """
    show_rows(access.client().pages("/clusters/discovered"), _DISCOVERED, output)


@clusters.command("adopt")
@click.argument("flow", metavar="SOURCE->TARGET")
@click.option("--enabled", is_flag=True, help="Copy at once; not while another program copies this flow.")
@label_options
@_DRY_RUN
@click.pass_obj
def adopt(access: ServiceAccess, /, flow: str, enabled: bool, dry_run: bool, **labels: Any) -> None:
    """Register a discovered flow.

    \b
    Example:
      srm-control clusters adopt 'us-east->eu-central' --owner ann
    """
    source, target = split_flow(flow)
    body = {"source": source, "target": target, "enabled": enabled, **labels_of(labels)}
    if not dry_run:
        access.client().send("POST", "/clusters/discovered/adopt", body)
    click.echo(f"{flow} is adopted{' (dry run)' if dry_run else ''}")


def _path(alias: str) -> str:
    return f"/clusters/{quote(alias, safe='')}"


def _body(given: dict[str, Any]) -> dict[str, Any]:
    body: dict[str, Any] = labels_of(given)
    if given["bootstrap_servers"]:
        body["bootstrap"] = [part.strip() for part in given["bootstrap_servers"].split(",") if part.strip()]
    if client := read_pairs(given["client"]):
        body["client"] = client
    if secrets := {**read_pairs(given["secret"]), **_from_files(given["secret_file"])}:
        body["secrets"] = secrets
    if given["location"]:
        body["location"] = given["location"]
    return body


def _from_files(texts: tuple[str, ...]) -> dict[str, str]:
    values: dict[str, str] = {}
    for key, path in read_pairs(texts).items():
        try:
            values[key] = Path(path).expanduser().read_text().strip()
        except OSError as error:
            raise UsageError(f"cannot read {path} ({error.strerror}): check --secret-file {key}") from error
    return values


def _step_rows(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "address": broker["address"],
            "step": step["name"],
            "result": step["state"],
            "text": "; ".join(part for part in (step.get("text"), step.get("remedy")) if part),
        }
        for broker in report.get("brokers") or []
        for step in broker.get("steps") or []
    ]
