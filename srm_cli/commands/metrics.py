"""`srm metrics`: the Spark process in the foreground."""

from pathlib import Path

import click

from srm_cli.home import state_folder
from srm_cli.jars import ensure_jars
from srm_cli.system import commands
from srm_cli.system.foreground import become


@click.command("metrics")
@click.option(
    "--targets-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    default=None,
    help="JSON list of target clusters.  [default: SRM_HOME/metrics/targets.json]",
)
def command(targets_file: Path | None) -> None:
    """Run the metrics process: raw metrics of the target clusters into the store.

    \b
    Example:
      srm metrics --targets-file /etc/srm/targets.json
    """
    folder = state_folder().create()
    ensure_jars(folder.path, "spark", click.echo)
    targets = (targets_file or folder.metrics_targets).resolve()
    become(commands.metrics(targets), {"SRM_HOME": str(folder.path)})
