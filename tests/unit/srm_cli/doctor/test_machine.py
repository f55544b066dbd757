"""The findings of the doctor about limits, ports and folders."""

import socket
from pathlib import Path

import pytest

from srm_cli.doctor.machine import check_compiled, check_port, check_redis, check_state_folder, judge_open_files
from srm_cli.machine.home import HomeFolder
from srm_cli.machine.ports import LOOPBACK


def test_a_low_limit_of_open_files_names_both_limits_and_the_remedy() -> None:
    check = judge_open_files(1024, 4096)
    assert check.state == "warning"
    assert "1024" in check.text
    assert "ulimit -Hn" in check.remedy


def test_a_high_limit_of_open_files_is_fine() -> None:
    assert judge_open_files(65_536, 65_536).state == "ok"


def test_a_taken_port_is_named_with_the_remedy(tmp_path: Path) -> None:
    with socket.create_server((LOOPBACK, 0)) as listener:
        port = listener.getsockname()[1]
        check = check_port(HomeFolder(path=tmp_path), LOOPBACK, port)
    assert check.state == "missing"
    assert str(port) in check.text
    assert "--port" in check.remedy


def test_a_state_folder_below_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert check_state_folder(HomeFolder(path=tmp_path / "file" / "home")).state == "missing"


def test_a_redis_of_yours_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SRM_REDIS_URL", "redis://example:6379/0")
    assert "SRM_REDIS_URL" in check_redis().text


def test_what_could_not_be_compiled_is_told_with_its_price_and_remedy() -> None:
    there, absent = check_compiled(("json",)), check_compiled(("json", "replication.wire.no_such"))

    assert there.state == "ok"
    assert (absent.state, absent.remedy.split(" (")[0]) == ("warning", "install a C compiler")
