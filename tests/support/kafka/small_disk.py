"""A disk of a few megabytes, and the replicas of a broker that has it for a second log directory."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kafka import TopicPartitionReplica
from kafka.admin import KafkaAdminClient

from tests.support.eventually import eventually


class NoMountError(Exception):
    """The machine does not let this user mount a disk."""


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A mounted tmpfs. Raises NoMountError."""
    folder.mkdir(parents=True)
    options = ["-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    try:
        subprocess.run(["mount", *options], check=True, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoMountError(f"mounting a tmpfs is refused: {getattr(error, 'stderr', error)}") from error
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True, timeout=20)


def keep_alone(bootstrap: str, topic: str, folder: Path, elsewhere: Path) -> None:
    """Move this topic to one log directory of the only broker, and all others to the other one."""
    client = KafkaAdminClient(bootstrap_servers=bootstrap)

    def is_alone() -> bool:
        wanted = {}
        for broker in client.describe_log_dirs():
            for found in broker["log_dirs"]:
                for each in found["topics"]:
                    place = str(folder if each["name"] == topic else elsewhere)
                    for partition in each["partitions"] if found["log_dir"] != place else ():
                        replica = TopicPartitionReplica(each["name"], partition["partition_index"], broker["broker"])
                        wanted[replica] = place
        client.alter_replica_log_dirs(wanted)
        return not wanted

    try:
        eventually(is_alone, 60, f"{topic} is alone in {folder}")
    finally:
        client.close()
