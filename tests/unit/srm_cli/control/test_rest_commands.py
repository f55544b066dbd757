"""Every REST command of `srm-control` with each of its options: what is sent and what is printed."""

import shlex
from pathlib import Path

import pytest

from srm_cli.control.output import columns, show_rows
from tests.unit.srm_cli.control.played import Played, control
from tests.unit.srm_cli.control.resource_cases import CASES
from tests.unit.srm_cli.control.rest_cases import Case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.arguments)
def test_a_command_sends_and_prints_what_it_says(service: Played, tmp_path: Path, case: Case) -> None:
    key = tmp_path / "key"
    key.write_text("from the file\n")
    service.answers = dict(case.answers)
    arguments = shlex.split(case.arguments.replace("KEYFILE", str(key)))

    result = control(service, tmp_path, *arguments, stdin="from stdin\n")

    assert result.exit_code == case.code, result.output
    if case.sent is not None:
        assert service.asked[-1] == case.sent
    if not case.answers:
        assert service.asked == []
    for text in case.shown:
        assert text in result.output


def test_a_change_names_the_state_that_it_was_made_from(service: Played, tmp_path: Path) -> None:
    service.headers["ETag"] = '"7"'
    service.answers = {("GET", "/api/v2/clusters/a"): {}, ("PATCH", "/api/v2/clusters/a"): {}}

    control(service, tmp_path, "clusters", "change", "a", "--owner", "ann")

    assert service.received[-1]["If-Match"] == '"7"'


@pytest.mark.parametrize(
    ("status", "code"),
    [(400, 1), (401, 4), (403, 4), (404, 3), (409, 1), (412, 1), (422, 1), (429, 1), (500, 5), (503, 5), (504, 6)],
)
def test_the_exit_code_tells_the_kind_of_an_error(service: Played, tmp_path: Path, status: int, code: int) -> None:
    differences = [{"field": "owner", "yours": "ann", "current": "bob"}]
    service.answers["GET", "/api/v2/clusters/a"] = {"status": status, "detail": "the reason", "diff": differences}

    result = control(service, tmp_path, "clusters", "show", "a")

    assert result.exit_code == code
    if status != 401:
        assert "the reason\n" in result.output
        assert "repeat the command\n  owner: ann -> bob" in result.output


def test_a_service_that_does_not_answer_is_its_own_exit_code(tmp_path: Path) -> None:
    result = control(Played(url="http://127.0.0.1:1"), tmp_path, "clusters", "list")

    assert result.exit_code == 5
    assert "check the URL and that the service runs" in result.output


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("topics", "needs --source and --target"),
        ("topics --source a --target b", "nothing to do"),
        ("groups --source a --target b --props x=1 --list", "need --bootstrap-servers or --config"),
        ("topics --source a --target b --list --bootstrap-servers x:1 --props nonsense", "is not key=value"),
        ("offsets --source a --target b", "use --export"),
        ("offsets --source a --target b --export", "--group"),
        ("clusters add a", "needs --bootstrap-servers"),
        ("clusters change a", "nothing to change"),
        ("clusters add a --bootstrap-servers a:1 --secret-file k=/nowhere", "cannot read /nowhere"),
        ("flows change a->b", "nothing to change"),
        ("flows act pause", "choose flows"),
        ("flows act pause a->b --target b", "choose flows"),
        ("flows create a-b", "'a-b' is not a flow"),
        ("config set nonsense", "is not KEY=VALUE"),
        ("tokens create t --expires soon", "is not a time"),
        ("clusters list -o xml", "xml"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_sent(
    service: Played, tmp_path: Path, arguments: str, text: str
) -> None:
    result = control(service, tmp_path, *shlex.split(arguments))

    assert result.exit_code == 2
    assert text in result.output
    assert service.asked == []


def test_a_deletion_asks_first(service: Played, tmp_path: Path) -> None:
    for arguments in (("clusters", "delete", "a"), ("flows", "delete", "a->b")):
        result = control(service, tmp_path, *arguments, stdin="n\n")
        assert result.exit_code == 1
    assert service.asked == []


def test_one_flow_that_refuses_is_told_by_the_exit_code(service: Played, tmp_path: Path) -> None:
    refused = {"source": "a", "target": "b", "result": "refused", "text": "it is disabled"}
    service.answers["POST", "/api/v2/replications/actions"] = {"refused": 1, "results": [refused]}

    result = control(service, tmp_path, "flows", "act", "pause", "a->b")

    assert result.exit_code == 1
    assert "it is disabled" in result.output


@pytest.mark.parametrize(("output", "is_whole"), [("table", False), ("csv", True), ("json", True)])
def test_long_cells_are_shortened_in_tables_only(
    output: str, is_whole: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"key": "x" * 100, "text": "y" * 100}

    show_rows([row], columns("KEY=key", "TEXT=text"), output)

    shown = capsys.readouterr().out
    assert (row["key"] in shown) is is_whole
    assert row["text"] in shown  # the last cell moves no other
