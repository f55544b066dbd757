"""A real MirrorMaker 2 in dedicated mode, for tests that live beside it."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from srm_cli.machine.jars import ensure_jars, missing_jars

_REPLICATED = ("checkpoints.topic", "heartbeats.topic", "offset-syncs.topic", "offset.storage", "status.storage",
               "config.storage")  # fmt: skip


@pytest.fixture(scope="session")
def mirror_jars() -> Path:
    """MirrorMaker's jars, fetched once."""
    folder = os.environ.get("SRM_JARS")
    if folder and not missing_jars(Path(folder) / "mirror", "mirror"):
        return Path(folder) / "mirror"
    return ensure_jars(Path(os.environ.get("SRM_HOME", ".srm")).absolute(), "mirror")


def mirror_properties(source: tuple[str, str], target: tuple[str, str], *lines: str) -> str:
    """Return a properties file of a flow from the first to the second cluster, with one replica of every topic.

    A cluster is an alias and its bootstrap servers. `lines` may name the flow `{flow}`.
    """
    names = f"{source[0]}, {target[0]}"
    flow, back = f"{source[0]}->{target[0]}", f"{target[0]}->{source[0]}"
    own = [
        f"clusters = {names}",
        *(f"{alias}.bootstrap.servers = {servers}" for alias, servers in (source, target)),
        f"{flow}.enabled = true",
        f"{back}.enabled = false",
        f"{back}.emit.heartbeats.enabled = false",
        *(f"{prefix}.replication.factor = 1" for prefix in _REPLICATED),
        "replication.factor = 1",
        *(line.replace("{flow}", flow) for line in lines),
    ]
    return "\n".join(own) + "\n"


@contextmanager
def mirror_maker(jars: Path, properties: Path, log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Runs until the block ends (SIGTERM, which commits), unless the block kills it."""
    options = ["-Xmx512m", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"]
    command = ["java", *options, "-cp", f"{jars}/*", "org.apache.kafka.connect.mirror.MirrorMaker", str(properties)]
    with log.open("ab") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(40)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
