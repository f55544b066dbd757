"""Kafka's own command-line tools, from the brokers' jars."""

import subprocess
from pathlib import Path

CONSOLE_CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer"
CONSOLE_PRODUCER = "org.apache.kafka.tools.ConsoleProducer"
CONSUMER_GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"


def run_tool(jars: Path, tool: str, *arguments: str, stdin: str = "") -> str:
    """Run a tool and return what it prints; an error of the tool is an AssertionError with its output."""
    options = ["-Xmx256m", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"]
    command = ["java", *options, "-cp", f"{jars}/*", tool, *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
