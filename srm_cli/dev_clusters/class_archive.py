"""An archive of the classes that a broker loads (JEP 350): brokers that use it start with about half of the CPU."""

import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from srm_cli.dev_clusters.broker import BrokerNode, class_archive, format_command, run_command, write_properties
from srm_cli.dev_clusters.probe import brokers_seen
from srm_cli.errors import OperatorError
from srm_cli.machine.ports import LOOPBACK, free_port

_START_SECONDS = 60.0
_STOP_SECONDS = 60.0
_CLUSTER_UUID = "Y2xhc3NlcyBvZiBicm9rZXI"


def write_class_archive(jars: Path) -> None:
    """Run a broker of these jars for a moment, and keep the classes that it has loaded.

    Raises:
        OperatorError: the broker did not start, or Java wrote no archive. Brokers run without one, too.
    """
    with tempfile.TemporaryDirectory(dir=jars.parent, prefix=".classes-") as scratch:
        port = free_port()
        node = BrokerNode(node_id=1, port=port, controller_port=free_port({port}), folder=Path(scratch) / "broker")
        write_properties(node, [node], {})
        made = Path(scratch) / "classes.jsa"
        _run(format_command(node, jars, _CLUSTER_UUID), node.log_file)
        _run_until_it_answers(_dumping(run_command(node, jars), made), node)
        if not made.is_file():
            raise OperatorError(f"Java wrote no archive of classes: {_end_of(node.log_file)}")
        made.replace(class_archive(jars))


def _dumping(command: Sequence[str], made: Path) -> list[str]:
    java, *options = command
    return [java, f"-XX:ArchiveClassesAtExit={made}", *options]


def _run(command: Sequence[str], log: Path) -> None:
    with log.open("ab") as output:
        code = subprocess.run(command, stdout=output, stderr=output, check=False).returncode
    if code != 0:
        raise OperatorError(f"cannot format a broker's folder: {_end_of(log)}")


def _run_until_it_answers(command: Sequence[str], node: BrokerNode) -> None:
    with node.log_file.open("ab") as output, subprocess.Popen(command, stdout=output, stderr=output) as broker:
        try:
            until = time.monotonic() + _START_SECONDS
            while not brokers_seen(LOOPBACK, node.port):
                if broker.poll() is not None or time.monotonic() > until:
                    raise OperatorError(f"a broker did not start: {_end_of(node.log_file)}")
                time.sleep(0.1)
            broker.terminate()
            broker.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise OperatorError(f"a broker did not stop within {_STOP_SECONDS:.0f} s") from error
        finally:
            broker.kill()


def _end_of(log: Path) -> str:
    return log.read_text(errors="replace").strip()[-300:]
