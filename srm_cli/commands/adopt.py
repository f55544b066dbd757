"""`srm adopt`: take flows over from MirrorMaker 2, or hand them back."""

import json
import time
from pathlib import Path
from typing import Any

import click

from replication.config.flows.model import FlowDefinition, ReplicationConfig
from replication.domain.errors import ReplicationError
from srm_cli.adopt.report import as_document, show
from srm_cli.adopt.wiring import chosen_flows, open_fence, open_takeover
from srm_cli.errors import OperatorError
from srm_cli.system.properties import read_config


@click.command("adopt")
@click.option(
    "--from", "path", type=click.Path(path_type=Path), required=True, help="The mm2.properties MirrorMaker ran with."
)
@click.option("--flow", default=None, metavar="A->B", help="Only this flow.  [default: all enabled ones]")
@click.option(
    "--check", is_flag=True, help="Show positions and checkpoints without changes, even while MirrorMaker runs."
)
@click.option("--give-back", is_flag=True, help="Hand flows back: MirrorMaker continues where our drivers stopped.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of tables.")
def command(path: Path, flow: str | None, check: bool, give_back: bool, as_json: bool) -> None:
    """Take replication flows over from a stopped MirrorMaker 2 or original SRM driver.

    Shows each partition's position and each group's checkpoint and checks that MirrorMaker has stopped. If it
    stopped uncleanly, advances positions to the last record on the target, so that no record is copied twice.
    `srm up --config FILE` then continues from there. With --give-back, MirrorMaker continues where our drivers
    stopped; their slots are fenced first, so that a frozen or disconnected driver can no longer write.

    \b
    Examples:
      srm adopt --from mm2.properties --check
      srm adopt --from mm2.properties --flow 'east->west'
      srm up --config mm2.properties
      srm adopt --from mm2.properties --give-back
    """
    if check and give_back:
        raise click.UsageError("--check and --give-back exclude each other")
    config = read_config(path)
    documents: list[dict[str, Any]] = []
    for each in chosen_flows(config, flow):
        try:
            documents.append(_give_back(config, each) if give_back else _take(config, each, check, quiet=as_json))
        except ReplicationError as error:
            raise OperatorError(str(error)) from error
        if give_back and not as_json:
            given = documents[-1]
            click.echo(
                f"{given['flow']}: {given['slots_fenced']} slot(s) fenced, {given['positions']} position(s) written; "
                "start MirrorMaker"
            )
    if as_json:
        click.echo(json.dumps({"v": 1, "flows": documents}, indent=1))
    elif not give_back and not check:
        click.echo(f"\nready: `srm up --config {path}` continues from here")


def _take(config: ReplicationConfig, flow: FlowDefinition, check: bool, *, quiet: bool) -> dict[str, Any]:
    name = f"{flow.source}->{flow.target}"
    stopped, reason = True, ""
    with open_takeover(config, flow) as takeover:
        try:
            takeover.require_stopped()
        except ReplicationError as error:
            if not check:
                raise
            stopped, reason = False, str(error)
        found = takeover.inspect()
        if not quiet:
            show(name, found)
            click.echo(
                "  MirrorMaker is stopped: no group member, no new records" if stopped else f"  not stopped: {reason}"
            )
        refined = 0 if check else takeover.write_refined(found)
    if refined and not quiet:
        click.echo(f"  {refined} position(s) advanced to the last record on the target")
    return {**as_document(name, found), "stopped": stopped, "moved": refined}


def _give_back(config: ReplicationConfig, flow: FlowDefinition) -> dict[str, Any]:
    with open_takeover(config, flow) as takeover, open_fence(config, flow) as fence:
        takeover.require_drivers_stopped(time.time_ns() // 1_000_000)
        given = takeover.hand_back(fence)
    return {
        "flow": f"{flow.source}->{flow.target}",
        "slots_fenced": given.slots,
        "positions": given.positions,
        "syncs": given.syncs,
    }
