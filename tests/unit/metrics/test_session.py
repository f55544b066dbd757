"""The settings of the Spark session, without starting Spark."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from metrics import session


class Builder:
    """Takes settings as Spark's builder does."""

    def __init__(self) -> None:
        self.confs: dict[str, Any] = {}

    def appName(self, _name: str) -> "Builder":
        return self

    def config(self, key: str, value: object) -> "Builder":
        self.confs[key] = value
        return self

    def getOrCreate(self) -> "Builder":
        return self


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch) -> Builder:
    found = Builder()
    monkeypatch.setattr(session, "SparkSession", SimpleNamespace(builder=found))
    for name in ("PYSPARK_GATEWAY_PORT", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "SPARK_LOCAL_IP", "PYTHONPATH"):
        monkeypatch.setenv(name, "")  # restored after the test, with any change
        monkeypatch.delenv(name)
    return found


def test_sparks_ui_is_off(builder: Builder, tmp_path: Path) -> None:
    session.open_session(jars=None, scratch=tmp_path)

    assert builder.confs["spark.ui.enabled"] == "false"


def test_sparks_ui_is_served_on_loopback_at_the_given_port(builder: Builder, tmp_path: Path) -> None:
    session.open_session(jars=None, scratch=tmp_path, ui_port=4050)

    assert (builder.confs["spark.ui.enabled"], builder.confs["spark.ui.port"]) == ("true", "4050")
    assert os.environ["SPARK_LOCAL_IP"] == "127.0.0.1"


def test_spark_submit_decides_about_the_ui_and_the_python_of_executors(
    builder: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    monkeypatch.setenv("PYSPARK_PYTHON", "/usr/bin/python3.11")

    session.open_session(jars=None, scratch=tmp_path, ui_port=4050)

    assert "spark.ui.enabled" not in builder.confs
    assert os.environ["PYSPARK_PYTHON"] == "/usr/bin/python3.11"


def test_without_a_word_executors_take_the_python_of_the_driver(
    builder: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")

    session.open_session(jars=None, scratch=tmp_path)

    assert os.environ["PYSPARK_PYTHON"] == sys.executable
