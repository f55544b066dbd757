"""`srm dev-clusters`: real Kafka brokers on loopback ports."""

import shutil

import click

from srm_cli.dev_clusters.lifecycle import DevClusters, answers
from srm_cli.errors import OperatorError
from srm_cli.help_text import CommandGroup
from srm_cli.machine.home import home_folder
from srm_cli.machine.jars import ensure_jars

_DEFAULT_ALIASES = ("us-east", "eu-central", "analytics")


@click.group("dev-clusters", cls=CommandGroup)
def command() -> None:
    """Local Kafka clusters for development: small heaps, free ports, 127.0.0.1 only.

    They keep running when this command ends; data and ports survive a stop.

    \b
    Examples:
      srm dev-clusters up                       us-east, eu-central and analytics
      srm dev-clusters up --brokers 3 west      one cluster of three brokers
      srm dev-clusters status
      srm dev-clusters stop
    """


@command.command("up")
@click.argument("aliases", nargs=-1)
@click.option("--brokers", default=1, show_default=True, type=click.IntRange(1, 9), help="Brokers per cluster.")
def up(aliases: tuple[str, ...], brokers: int) -> None:
    """Start clusters and wait until every broker answers.

    \b
    Examples:
      srm dev-clusters up
      srm dev-clusters up --brokers 3 west
    """
    home = home_folder().create().path
    clusters = DevClusters(home, ensure_jars(home, "kafka", click.echo), tie_to_parent=False, say=click.echo)
    for cluster in clusters.up(aliases or _DEFAULT_ALIASES, brokers=brokers).values():
        click.echo(f"{cluster.alias:<16} {cluster.bootstrap}")


@command.command("status")
def status() -> None:
    """Show clusters, their addresses and if they answer.

    \b
    Example:
      srm dev-clusters status
    """
    known = _existing().all()
    if not known:
        click.echo("no local clusters: `srm dev-clusters up` starts some")
    for cluster in known.values():
        click.echo(f"{cluster.alias:<16} {'up' if answers(cluster) else 'down':<6} {cluster.bootstrap}")


@command.command("stop")
@click.argument("aliases", nargs=-1)
@click.option("--delete", is_flag=True, help="Delete the data of the named clusters as well.")
def stop(aliases: tuple[str, ...], delete: bool) -> None:
    """Stop the named clusters, or all of them.

    \b
    Examples:
      srm dev-clusters stop
      srm dev-clusters stop --delete west
    """
    clusters = _existing()
    unknown = [alias for alias in aliases if alias not in clusters.all()]
    if unknown:
        raise OperatorError(f"no local cluster {unknown[0]!r}: `srm dev-clusters status` lists them")
    if delete and not aliases:
        raise OperatorError("name the clusters to delete: `srm dev-clusters stop --delete ALIAS`")
    stopped = clusters.stop(aliases)
    for alias in aliases if delete else ():
        clusters.forget(alias)
        shutil.rmtree(home_folder().path / "clusters" / alias, ignore_errors=True)
    click.echo(f"stopped {', '.join(stopped)}" if stopped else "nothing was running")


def _existing() -> DevClusters:
    home = home_folder().path
    return DevClusters(home, home / "jars" / "kafka", tie_to_parent=False, say=click.echo)
