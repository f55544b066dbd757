"""`python -m srm_cli.traffic ALIAS=HOST:PORT ...`: started by `srm demo` as a separate process."""

import signal
import threading

import click

from replication.domain.plan.slot import ClusterClient
from srm_cli.traffic.consumers import GroupTraffic
from srm_cli.traffic.generator import TrafficGenerator
from srm_cli.traffic.topics import GROUPS, TOPICS

Parts = list[tuple[str, TrafficGenerator | GroupTraffic]]  # by the name of the thread


@click.command()
@click.argument("clusters", nargs=-1, required=True, metavar="ALIAS=HOST:PORT...")
def main(clusters: tuple[str, ...]) -> None:
    """Write and read demonstration records until SIGTERM."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    threads = [threading.Thread(target=each.run, name=alias) for alias, each in _parts(clusters, stop)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _parts(clusters: tuple[str, ...], stop: threading.Event) -> Parts:
    parts: Parts = []
    for text in clusters:
        alias, _, bootstrap = text.partition("=")
        topics = [topic for topic in TOPICS if topic.cluster == alias]
        client = ClusterClient(alias=alias, bootstrap=tuple(bootstrap.split(",")))
        if topics:
            parts.append((alias, TrafficGenerator(client, topics, stop)))
        parts += [(group.name, GroupTraffic(client, group, stop)) for group in GROUPS if group.cluster == alias]
    return parts


main()
