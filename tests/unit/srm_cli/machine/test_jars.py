"""Jars are complete or the operator learns what to do."""

from pathlib import Path

import pytest

from srm_cli.errors import OperatorError
from srm_cli.machine.jars import ensure_jars, missing_jars


def test_a_jar_with_other_bytes_counts_as_missing(tmp_path: Path) -> None:
    (tmp_path / "kafka-clients-3.9.1.jar").write_bytes(b"not a jar")
    assert "kafka-clients-3.9.1.jar" in missing_jars(tmp_path, "spark")


def test_a_complete_folder_needs_neither_java_nor_maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "jars" / "kafka"
    folder.mkdir(parents=True)
    for name in missing_jars(folder, "kafka"):
        (folder / name).touch()
    monkeypatch.setenv("PATH", "")
    assert ensure_jars(tmp_path, "kafka") == folder


def test_missing_java_is_one_line_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(OperatorError, match=r"^java is missing: install a Java 17 runtime"):
        ensure_jars(tmp_path, "kafka")


def test_missing_maven_is_one_line_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "java"
    java.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(OperatorError, match=r"^mvn is missing: install Apache Maven"):
        ensure_jars(tmp_path, "spark")


def test_a_failing_maven_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "java").touch(mode=0o755)
    maven = tmp_path / "mvn"
    maven.write_text("#!/bin/sh\necho '[ERROR] no route to host'\nexit 1\n")
    maven.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(OperatorError, match="no route to host"):
        ensure_jars(tmp_path, "spark", lambda _: None)
    assert not (tmp_path / "jars" / "spark").exists()
