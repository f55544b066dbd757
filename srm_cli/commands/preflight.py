"""`srm preflight`: checks flows before anything is started or created."""

import sys
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

import click

from replication.config import FlowDefinition, ReplicationConfig
from replication.connectors.preflight import preflight
from replication.domain.errors import ReplicationError
from replication.domain.plan.preflight import PreflightFinding, shortened
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.ports.admin import ClusterAdmin
from replication.ports.groups.group_admin import GroupAdmin
from replication.wire.groups.group_admin import WireGroupAdmin
from srm_cli.errors import OperatorError
from srm_cli.options.dialect_option import DIALECT
from srm_cli.system.desired_flows import cluster_clients, desired_flow
from srm_cli.system.properties import print_findings, read_config


@click.command("preflight")
@click.option("--config", type=click.Path(path_type=Path), required=True, help="The configuration file of the flows.")
@click.option("--flow", "chosen", default=None, metavar="A->B", help="Only this flow; all enabled ones by default.")
@DIALECT
def command(config: Path, chosen: str | None, dialect: str) -> None:
    """Check both clusters of each flow and report what would block it. Changes nothing.

    An error blocks the flow or topic that it names; a warning does not. Exits with 1 when there is an error.

    \b
    Examples:
      srm preflight --config mm2.properties
      srm preflight --config mm2.properties --flow "us-east->eu-central"
    """
    read = read_config(config, dialect)
    print_findings(read, click.echo)
    clients = cluster_clients(read)
    has_errors = False
    for flow in _chosen(read, chosen):
        findings = shortened(_check(flow, clients))
        click.echo(f"{flow.source}->{flow.target}: {_summary(findings)}")
        for finding in findings:
            click.echo(
                f"  {finding.severity:<8} {finding.code}\n           {finding.text}\n           {finding.remedy}"
            )
        has_errors = has_errors or any(finding.severity == "error" for finding in findings)
    sys.exit(1 if has_errors else 0)


def _chosen(config: ReplicationConfig, name: str | None) -> list[FlowDefinition]:
    enabled = [flow for flow in config.flows if flow.enabled]
    if name is None:
        if not enabled:
            raise OperatorError("no flow of the file is enabled: add <source>-><target>.enabled = true")
        return enabled
    found = [flow for flow in config.flows if f"{flow.source}->{flow.target}" == name.replace(" ", "")]
    if not found:
        known = ", ".join(f"{flow.source}->{flow.target}" for flow in config.flows) or "none"
        raise OperatorError(f"the file has no flow {name!r}; it has {known}")
    return found


def _check(flow: FlowDefinition, clients: dict[str, ClusterClient]) -> tuple[PreflightFinding, ...]:
    with ExitStack() as opened:
        opening = [_open(clients[alias], opened) for alias in (flow.source, flow.target)]
        errors = tuple(admin for admin in opening if isinstance(admin, PreflightFinding))
        if errors:
            return errors
        source, target = (admin for admin in opening if not isinstance(admin, PreflightFinding))
        groups = (_open_groups(clients[flow.source], opened), _open_groups(clients[flow.target], opened))
        return preflight(desired_flow(flow), flow.target, source, target, groups)


def _open(client: ClusterClient, opened: ExitStack) -> ClusterAdmin | PreflightFinding:
    try:
        admin = open_admin(client)
    except ReplicationError as error:
        remedy = "correct the cluster's settings"
        return PreflightFinding(severity="error", code=error.code, text=error.text, remedy=remedy)
    opened.callback(admin.close)
    return admin


def _open_groups(client: ClusterClient, opened: ExitStack) -> GroupAdmin:
    groups = WireGroupAdmin(client)
    opened.callback(groups.close)
    return groups


def _summary(findings: Iterable[PreflightFinding]) -> str:
    severities = [finding.severity for finding in findings]
    if not severities:
        return "ready"
    return f"errors: {severities.count('error')}, warnings: {severities.count('warning')}"
