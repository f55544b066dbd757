"""Kafka's own command-line tools, from the brokers' jars, and small Java programs beside them."""

import subprocess
from pathlib import Path

CONSOLE_CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer"
CONSOLE_PRODUCER = "org.apache.kafka.tools.ConsoleProducer"
CONSOLE_SHARE_CONSUMER = "org.apache.kafka.tools.consumer.ConsoleShareConsumer"
CONSUMER_GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
FEATURES = "org.apache.kafka.tools.FeatureCommand"


def run_tool(jars: Path, tool: str | Path, *arguments: str, stdin: str = "", more_jars: Path | None = None) -> str:
    """Run a tool, or the program in a Java file, and return what it prints.

    An error of the tool is an AssertionError with its output.
    """
    options = ["-Xmx256m", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"]
    path = ":".join(f"{folder}/*" for folder in (jars, more_jars) if folder is not None)
    command = ["java", *options, "-cp", path, str(tool), *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
