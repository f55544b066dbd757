"""`srm-control` steers flows and topics of a service that is played."""

import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from srm_cli.control.main import srm_control
from tests.unit.srm_cli.control.played import Played, control

FLOW = "/api/v2/replications/a/b"


def listed(*items: dict[str, Any]) -> dict[str, Any]:
    return {"items": list(items), "next_cursor": None}


def order(number: int, state: str = "requested") -> dict[str, Any]:
    place = {"topic": "orders", "partition": number, "to": {"offset": 7}}
    return {**place, "id": f"r{number}", "state": state, "requested_ms": 0, "requested_by": "ann"}


def held(number: int, partition: int | None) -> dict[str, Any]:
    place = {"id": number, "topic": "orders", "partition": partition}
    return {**place, "until_ms": None, "held_by": "ann", "reason": "repair"}


@pytest.mark.parametrize(
    ("arguments", "body"),
    [
        (("pause", "--reason", "upgrade"), {"action": "pause", "reason": "upgrade"}),
        (
            ("pause", "--until", "2026-01-31T18:00:00Z"),
            {"action": "pause", "reason": "ordered with srm-control", "until_ms": 1_769_882_400_000},
        ),
        (("resume",), {"action": "resume", "reason": "ordered with srm-control"}),
    ],
    ids=["with a reason", "until a time", "resume"],
)
def test_a_flow_is_paused_and_resumed(
    service: Played, tmp_path: Path, arguments: tuple[str, ...], body: dict[str, Any]
) -> None:
    service.answers["POST", f"{FLOW}/actions"] = {"text": "a->b does it"}

    result = control(service, tmp_path, "flows", arguments[0], "a->b", *arguments[1:])

    assert (result.exit_code, result.output) == (0, "a->b does it\n")
    assert service.asked == [("POST", f"{FLOW}/actions", body)]


def test_an_order_for_a_duration_ends_that_long_from_now(service: Played, tmp_path: Path) -> None:
    service.answers["POST", f"{FLOW}/actions"] = {"text": "a->b does it"}
    before_ms = time.time_ns() // 1_000_000

    control(service, tmp_path, "flows", "pause", "a->b", "--for", "2h")

    after_ms = time.time_ns() // 1_000_000
    assert before_ms + 7_200_000 <= service.asked[0][2]["until_ms"] <= after_ms + 7_200_000


@pytest.mark.parametrize(("rate", "bytes_per_second"), [("10MB", 10_000_000), ("512KiB", 2**19), ("off", None)])
def test_a_throttle_is_sent_in_bytes_and_off_takes_it_away(
    service: Played, tmp_path: Path, rate: str, bytes_per_second: int | None
) -> None:
    service.answers["POST", f"{FLOW}/actions"] = {"text": "a->b does it"}

    result = control(service, tmp_path, "flows", "throttle", "a->b", rate)

    assert result.exit_code == 0
    body = {"action": "throttle", "reason": "ordered with srm-control", "bytes_per_second": bytes_per_second}
    assert service.asked == [("POST", f"{FLOW}/actions", body)]


def test_a_hold_names_its_place_end_and_reason(service: Played, tmp_path: Path) -> None:
    service.answers["POST", f"{FLOW}/holds"] = held(1, 3)
    given = ("--topic", "orders", "--partition", "3", "--until", "1769882400000", "--reason", "repair")

    result = control(service, tmp_path, "topics", "hold", "a->b", *given)

    assert result.output == "partition 3 of orders of a->b is paused until 2026-01-31 18:00:00Z\n"
    body = {"topic": "orders", "partition": 3, "until_ms": 1_769_882_400_000, "reason": "repair"}
    assert service.asked == [("POST", f"{FLOW}/holds", body)]


@pytest.mark.parametrize(
    ("given", "released"),
    [((), [1, 2]), (("--partition", "3"), [2])],
    ids=["the topic with its partitions", "one partition"],
)
def test_release_finds_the_holds_of_the_place(
    service: Played, tmp_path: Path, given: tuple[str, ...], released: list[int]
) -> None:
    other = {**held(9, None), "topic": "payments"}
    service.answers["GET", f"{FLOW}/holds"] = listed(held(1, None), held(2, 3), other)
    for number in (1, 2):
        service.answers["DELETE", f"{FLOW}/holds/{number}"] = {}

    result = control(service, tmp_path, "topics", "release", "a->b", "--topic", "orders", *given)

    assert result.exit_code == 0
    deleted = [path for method, path, _ in service.asked if method == "DELETE"]
    assert deleted == [f"{FLOW}/holds/{number}" for number in released]


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("earliest", "earliest"),
        ("latest", "latest"),
        ("offset:1200", {"offset": 1200}),
        ("1769882400000", {"timestamp_ms": 1_769_882_400_000}),
        ("2026-01-31T18:00:00Z", {"timestamp_ms": 1_769_882_400_000}),
    ],
)
def test_a_reset_goes_to_every_kind_of_place(service: Played, tmp_path: Path, to: str, expected: Any) -> None:
    service.answers["POST", f"{FLOW}/resets"] = listed(order(0), order(1))

    result = control(service, tmp_path, "topics", "reset", "a->b", "--topic", "orders", "--to", to)

    assert "2 partition(s) of orders" in result.output
    assert service.asked == [("POST", f"{FLOW}/resets", {"topic": "orders", "partition": None, "to": expected})]


def test_waiting_for_a_reset_ends_when_it_is_done(service: Played, tmp_path: Path) -> None:
    service.answers["POST", f"{FLOW}/resets"] = listed(order(0))
    service.answers["GET", f"{FLOW}/resets"] = [listed(order(0), order(5)), listed(order(0, "done"), order(5))]

    given = ("--topic", "orders", "--to", "earliest", "--wait", "20")
    result = control(service, tmp_path, "topics", "reset", "a->b", *given)

    assert result.exit_code == 0
    assert result.output.endswith("done\n")


def test_waiting_in_vain_names_a_partition_that_waits(service: Played, tmp_path: Path) -> None:
    service.answers["POST", f"{FLOW}/resets"] = service.answers["GET", f"{FLOW}/resets"] = listed(order(4))

    given = ("--topic", "orders", "--to", "earliest", "--wait", "1")
    result = control(service, tmp_path, "topics", "reset", "a->b", *given)

    assert result.exit_code == 6
    assert "orders-4" in result.output
    assert "check that a->b runs" in result.output


def test_waiting_for_a_reset_that_no_slot_can_carry_out_ends_with_the_reason(service: Played, tmp_path: Path) -> None:
    refused = {**order(0), "rejected": "a->b does not copy a topic orders"}
    service.answers["POST", f"{FLOW}/resets"] = listed(order(0))
    service.answers["GET", f"{FLOW}/resets"] = listed(refused)
    given = ("--topic", "orders", "--to", "earliest", "--wait", "600")

    result = control(service, tmp_path, "topics", "reset", "a->b", *given)

    assert result.exit_code != 0
    assert "a->b does not copy a topic orders" in result.output
    assert "does not copy" in control(service, tmp_path, "topics", "resets", "a->b").output


def test_holds_and_resets_are_listed_page_by_page(service: Played, tmp_path: Path) -> None:
    service.answers["GET", f"{FLOW}/holds"] = listed(held(1, None))
    service.answers["GET", f"{FLOW}/resets"] = {"items": [order(0)], "next_cursor": "more"}
    service.answers["GET", f"{FLOW}/resets?cursor=more"] = listed(order(1, "done"))

    holds = control(service, tmp_path, "topics", "holds", "a->b").output
    resets = control(service, tmp_path, "topics", "resets", "a->b").output

    assert "all" in holds.splitlines()[1]
    assert [line.split()[2] for line in resets.splitlines()[1:]] == ["requested", "done"]
    assert "offset:7" in resets


def test_a_role_that_does_not_suffice_is_told_which_one_does(service: Played, tmp_path: Path) -> None:
    service.answers["POST", f"{FLOW}/actions"] = {"status": 403, "detail": "it needs the operator role"}

    result = control(service, tmp_path, "flows", "throttle", "a->b", "1MB")

    assert result.exit_code == 4
    assert "it needs the operator role" in result.output


@pytest.mark.parametrize(
    ("arguments", "text", "code"),
    [
        (("flows", "throttle", "a->b", "fast"), "'fast' is not a rate", 2),
        (("flows", "pause", "a->b", "--until", "latest"), "'latest' is not a time", 2),
        (("flows", "pause", "nonsense"), "'nonsense' is not a flow: write source->target", 2),
        (("flows", "resume", "x->y"), "there is no replication", 3),
        (("topics", "hold", "a->b", "--topic", "t", "--until", "tomorrow"), "'tomorrow' is not a time", 2),
        (("topics", "release", "a->b", "--topic", "t"), "t of a->b is not paused", 3),
        (("topics", "release", "a->b", "--topic", "orders", "--partition", "9"), "resume it without --partition", 3),
        (("topics", "reset", "a->b", "--topic", "t", "--to", "offset:x"), "'offset:x' is not an offset", 2),
        (("topics", "reset", "a->b", "--topic", "t", "--to", "yesterday"), "'yesterday' is not a position", 2),
    ],
)
def test_what_is_wrong_is_one_line(
    service: Played, tmp_path: Path, arguments: tuple[str, ...], text: str, code: int
) -> None:
    service.answers["GET", f"{FLOW}/holds"] = listed(held(1, None))

    result = control(service, tmp_path, *arguments)

    assert result.exit_code == code
    assert text in result.output
    assert result.output.count("\n") == 1
    assert not any(method == "DELETE" for method, _, _ in service.asked)


def test_a_file_that_is_not_text_is_refused_and_nothing_is_sent(service: Played, tmp_path: Path) -> None:
    file = tmp_path / "binary.properties"
    file.write_bytes(b"\xff\xfe\x00")

    for arguments in (("config", "import", "-f"), ("apply", "-f"), ("diff", "-f")):
        result = control(service, tmp_path, *arguments, str(file))
        assert result.exit_code == 2, result.output
        assert str(file) in result.output

    assert service.asked == []


@pytest.mark.parametrize("content", [b"", b"two\nlines", b"t\xc3\xb6ken", b"\xff"])
def test_a_file_without_a_token_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)

    result = CliRunner().invoke(
        srm_control, ["--url", "http://127.0.0.1:1", "--token-file", str(file), "flows", "list"]
    )

    assert (result.exit_code, "holds no token" in result.output) == (2, True), result.output
