"""Versions are read from what the programs really print."""

import pytest

from srm_cli.doctor.tools import JAVA, MAVEN, NODE, Tool, check_python, check_tool


@pytest.mark.parametrize(
    ("tool", "output", "shown"),
    [
        (JAVA, 'openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment (build 17.0.15+6)', "17.0.15"),
        (JAVA, 'openjdk version "21" 2023-09-19', "21.0.0"),
        (JAVA, 'Picked up JAVA_TOOL_OPTIONS: -XX:TieredStopAtLevel=1\nopenjdk version "17.0.15"', "17.0.15"),
        (MAVEN, "\x1b[1mApache Maven 3.8.7\x1b[m\nMaven home: /usr/share/maven\nJava version: 17.0.15", "3.8.7"),
        (NODE, "v20.20.2\n", "20.20.2"),
    ],
)
def test_a_new_enough_tool_is_fine(tool: Tool, output: str, shown: str) -> None:
    check = check_tool(tool, is_optional=False, read=lambda _: output)
    assert (check.state, check.text, check.remedy) == ("ok", shown, "")


@pytest.mark.parametrize(
    ("tool", "output"), [(JAVA, 'java version "1.8.0_402"'), (NODE, "v18.19.0"), (MAVEN, "gibberish")]
)
def test_an_old_or_unreadable_tool_comes_with_a_remedy(tool: Tool, output: str) -> None:
    check = check_tool(tool, is_optional=False, read=lambda _: output)
    assert check.state == "missing"
    assert check.remedy.startswith("install ")


def test_a_missing_tool_whose_work_is_done_is_only_a_warning() -> None:
    assert check_tool(MAVEN, is_optional=True, read=lambda _: None).state == "warning"
    assert check_tool(MAVEN, is_optional=False, read=lambda _: None).state == "missing"


def test_an_old_python_is_refused() -> None:
    assert check_python((3, 10, 4)).state == "missing"
    assert check_python((3, 11, 0)).state == "ok"
