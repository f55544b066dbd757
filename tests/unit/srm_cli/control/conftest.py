"""A played service, and no contexts of the person who runs the tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.srm_cli.control.played import Played, playing


@pytest.fixture(autouse=True)
def own_contexts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SRM_CONTEXTS", str(tmp_path / "contexts.json"))
    for name in ("SRM_URL", "SRM_USER", "SRM_PASSWORD_FILE", "SRM_TOKEN_FILE", "SRM_CONTEXT"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def service() -> Iterator[Played]:
    with playing() as played:
        yield played
