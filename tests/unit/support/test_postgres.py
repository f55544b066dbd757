"""A PostgreSQL that was asked for and cannot be used stops the tests."""

from pathlib import Path

import pytest

from tests.support.servers.postgres import require_postgres


def test_a_missing_server_is_an_error_that_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SRM_TEST_POSTGRES_URL", raising=False)

    with pytest.raises(pytest.UsageError, match=r"initdb.*SRM_TEST_POSTGRES_URL"):
        require_postgres()


def test_a_server_that_runs_already_needs_no_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("SRM_TEST_POSTGRES_URL", "postgres://srm@127.0.0.1:5432/postgres")

    require_postgres()
