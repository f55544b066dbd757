"""Checks the versions of external programs: Python, Java, Maven and Node.js."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from srm_cli.doctor.check import Check, CheckState
from srm_cli.errors import OperatorError
from srm_cli.machine.jars import require_java

Version = tuple[int, ...]
_VERSION = re.compile(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """An external program. `needed_for` completes the sentence "not found, needed for ..."."""

    name: str
    oldest: Version
    version_argument: str
    install: str
    needed_for: str


JAVA = Tool(
    name="java",
    oldest=(17,),
    version_argument="-version",
    install="install a Java 17 runtime (Debian: apt-get install openjdk-17-jre-headless)",
    needed_for="Spark metrics and local clusters",
)
MAVEN = Tool(
    name="mvn",
    oldest=(3, 6),
    version_argument="-version",
    install="install Apache Maven (Debian: apt-get install maven)",
    needed_for="fetching the jars of Kafka and Spark",
)
NODE = Tool(
    name="node",
    oldest=(20,),
    version_argument="--version",
    install="install Node.js 20 or newer with npm",
    needed_for="building the web page",
)


def check_python(version: Version = tuple(sys.version_info[:3])) -> Check:
    shown = _shown(version)
    if version >= (3, 11):
        return Check(name="python", state="ok", text=shown)
    return Check(name="python", state="missing", text=f"{shown} is too old", remedy="install Python 3.11 or newer")


def check_tool(tool: Tool, *, is_optional: bool, read: Callable[[Tool], str | None] | None = None) -> Check:
    """Check one program; with `is_optional` its absence is a warning, e.g. because the jars are already fetched."""
    output = (read or _read_version)(tool)
    missing: CheckState = "warning" if is_optional else "missing"
    if output is None:
        text = f"not found, needed for {tool.needed_for}"
        return Check(name=tool.name, state=missing, text=text, remedy=tool.install)
    version = parse_version(output)
    if version is None or version < tool.oldest:
        text = f"{_shown(version) if version else 'unknown version'}, needs {_shown(tool.oldest)} or newer"
        return Check(name=tool.name, state=missing, text=text, remedy=tool.install)
    return Check(name=tool.name, state="ok", text=_shown(version))


def parse_version(output: str) -> Version | None:
    """Return the first number in the output of `--version`, ignoring Java's lines about picked-up options."""
    output = "\n".join(line for line in output.splitlines() if not line.startswith("Picked up "))
    found = _VERSION.search(_COLOURS.sub("", output))
    return tuple(int(part) for part in found.groups(default="0")) if found else None


def _read_version(tool: Tool) -> str | None:
    try:
        path = require_java() if tool is JAVA else shutil.which(tool.name)
    except OperatorError:
        path = None
    if path is None:
        return None
    try:
        done = subprocess.run([path, tool.version_argument], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout + done.stderr


def _shown(version: Version) -> str:
    return ".".join(str(part) for part in version)
