"""`python -m srm_cli.traffic ALIAS=HOST:PORT ...`: started by `srm demo` as a separate process."""

import signal
import threading

import click

from replication.domain.plan.slot import ClusterClient
from srm_cli.traffic.generator import TrafficGenerator
from srm_cli.traffic.topics import TOPICS


@click.command()
@click.argument("clusters", nargs=-1, required=True, metavar="ALIAS=HOST:PORT...")
def main(clusters: tuple[str, ...]) -> None:
    """Write demonstration records until SIGTERM."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    threads = [threading.Thread(target=each.run, name=alias) for alias, each in _generators(clusters, stop)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _generators(clusters: tuple[str, ...], stop: threading.Event) -> list[tuple[str, TrafficGenerator]]:
    generators = []
    for text in clusters:
        alias, _, bootstrap = text.partition("=")
        topics = [topic for topic in TOPICS if topic.cluster == alias]
        if topics:
            client = ClusterClient(alias=alias, bootstrap=tuple(bootstrap.split(",")))
            generators.append((alias, TrafficGenerator(client, topics, stop)))
    return generators


main()
