"""`python -m srm_cli.bootstrap [--dev] [--jars kafka,spark] [--page]`: called by the Makefile."""

import argparse
import sys
import time
from pathlib import Path

from srm_cli.bootstrap.environment import CloneSetup
from srm_cli.bootstrap.step import run_steps
from srm_cli.doctor.check import Check
from srm_cli.doctor.tools import JAVA, MAVEN, NODE, check_python, check_tool
from srm_cli.errors import OperatorError
from srm_cli.machine.home import home_folder
from srm_cli.machine.jars import JarSet


def main() -> int:
    parser = argparse.ArgumentParser(prog="bootstrap", description="Set this clone up.")
    parser.add_argument("--dev", action="store_true", help="also install what checks and tests need")
    parser.add_argument("--no-jars", action="store_true", help="do not fetch Kafka's and Spark's jars")
    parser.add_argument("--no-page", action="store_true", help="do not build the web page")
    parser.add_argument("--doctor", action="store_true", help="only report what this machine lacks")
    options = parser.parse_args()
    if options.doctor:
        return _report_missing()
    try:
        _set_up(dev=options.dev, jars=not options.no_jars, page=not options.no_page)
    except OperatorError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _report_missing() -> int:
    """Check what can be checked before any package is installed; returns the exit code."""
    checks = [check_python(), *(check_tool(tool, is_optional=False) for tool in (JAVA, MAVEN, NODE))]
    for check in checks:
        print(check)
    print("Python packages are not installed yet; `make demo` or `make install` does that")
    return 1 if any(check.state == "missing" for check in checks) else 0


def _set_up(*, dev: bool, jars: bool, page: bool) -> None:
    folder = home_folder().create()
    setup = CloneSetup(Path(__file__).resolve().parents[2], folder.path)
    names: tuple[JarSet, ...] = ("kafka", "kafka-3.9", "mirror", "spark") if dev else ("kafka", "spark")
    jar_steps = setup.jars(*names) if jars else []
    needed = [check_python(), check_tool(JAVA, is_optional=False)] if jars else [check_python()]
    if jar_steps:
        needed.append(check_tool(MAVEN, is_optional=False))
    _require(needed)
    steps = [*setup.packages("dev" if dev else "demo"), *jar_steps, *(setup.page() if page else [])]
    run_steps(steps, _say)


def _require(checks: list[Check]) -> None:
    missing = [check for check in checks if check.state == "missing"]
    if missing:
        raise OperatorError("\n       ".join(f"{check.name}: {check.text}; {check.remedy}" for check in missing))


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
