"""`srm audit` against a service that is played."""

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from srm_cli.main import srm

AUDITS = "/api/v2/replications/a/b/audits"
REPORT = "# Audit 7 of a->b\n"


class _Service(BaseHTTPRequestHandler):
    asked: dict[str, Any]
    cancelled: str | None = None
    user: str
    answers: list[dict[str, Any]]
    refusal: tuple[int, str] | None = None  # what a request is answered with instead

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        type(self).asked = json.loads(self.rfile.read(length))
        coded = self.headers["Authorization"].removeprefix("Basic ")
        type(self).user = base64.b64decode(coded).decode().partition(":")[0]
        if self.refusal is not None:
            self._send(*self.refusal)
            return
        self._answer({"id": 7} if self.path == AUDITS else {"detail": "there is no replication"})

    def do_GET(self) -> None:
        if self.path.endswith("/report"):
            self._answer(REPORT)
        else:
            self._answer(self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])

    def do_DELETE(self) -> None:
        type(self).cancelled = self.path
        self._answer(state("cancelled", "unknown"))

    def log_message(self, *_: Any) -> None:
        """Quiet."""

    def _answer(self, content: Any) -> None:
        is_refused = isinstance(content, dict) and "detail" in content
        self._send(404 if is_refused else 200, content if isinstance(content, str) else json.dumps(content))

    def _send(self, status: int, text: str) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())


@pytest.fixture
def service() -> Iterator[HTTPServer]:
    _Service.refusal = None
    server = HTTPServer(("127.0.0.1", 0), _Service)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(5)


def audit(service: HTTPServer, tmp_path: Path, *arguments: str) -> Result:
    password = tmp_path / "password"
    password.write_text("secret")
    url = f"http://127.0.0.1:{service.server_address[1]}"
    return CliRunner().invoke(srm, ["audit", *arguments, "--url", url, "--password-file", str(password)])


def state(state: str, verdict: str) -> dict[str, Any]:
    return {"state": state, "verdict": verdict, "progress": {"done": 0.5, "text": "orders: 10 records compared"}}


@pytest.mark.parametrize(
    ("last", "code"),
    [
        (state("done", "equal"), 0),
        (state("done", "warnings"), 0),
        (state("done", "counts_agree"), 0),
        (state("done", "different"), 1),
        (state("done", "unknown"), 2),
        (state("failed", "unknown"), 2),
    ],
)
def test_waiting_prints_the_report_and_the_exit_code_tells_the_result(
    service: HTTPServer, tmp_path: Path, last: dict[str, Any], code: int
) -> None:
    _Service.answers = [last]

    result = audit(service, tmp_path, "a->b", "--topic", "orders", "--sample", "5", "--wait")

    assert result.exit_code == code
    assert REPORT in result.output
    assert "50 %  orders: 10 records compared" in result.output
    assert _Service.asked == {"mode": "sample", "strict": False, "topics": ["orders"], "sample": 5}


def test_an_audit_can_be_bounded_and_strict(service: HTTPServer, tmp_path: Path) -> None:
    result = audit(service, tmp_path, "a->b", "--max-offsets", "100", "--rate", "50", "--strict", "--user", "ann")

    assert "7" in result.output
    assert _Service.asked == {"mode": "full", "strict": True, "max_offsets": 100, "records_per_second": 50}
    assert _Service.user == "ann"


def test_without_waiting_it_says_where_to_look(service: HTTPServer, tmp_path: Path) -> None:
    result = audit(service, tmp_path, "a->b", "--incremental")

    assert result.exit_code == 0
    assert f"{AUDITS}/7" in result.output
    assert _Service.asked["mode"] == "incremental"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("nonsense",), "'nonsense' is not a flow: write source->target"),
        (("x->y",), "there is no replication"),
        (("a->b", "--incremental", "--sample", "3"), "exclude each other"),
    ],
)
def test_what_is_wrong_is_one_line(service: HTTPServer, tmp_path: Path, arguments: tuple[str, ...], text: str) -> None:
    result = audit(service, tmp_path, *arguments)

    assert result.exit_code == 2
    assert text in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("wait", [(), ("--wait",)], ids=["asked", "waited for"])
@pytest.mark.parametrize(
    ("refusal", "text"),
    [
        ((401, "{}"), "rejects this user (401)"),
        ((404, '{"detail": "there is no replication a->b"}'), "there is no replication a->b"),
        ((409, '{"detail": "audit 3 of a->b has not ended"}'), "audit 3 of a->b has not ended"),
        ((400, '{"detail": "sample: counts with mode sample only"}'), "sample: counts"),
        ((503, '{"detail": "the metrics store does not answer"}'), "does not answer"),
        ((200, "<html>somebody else</html>"), "did not return JSON"),
        ((200, "{}"), "is not about an audit"),
    ],
    ids=["login", "unknown flow", "running already", "options", "store away", "no JSON", "no audit"],
)
def test_what_compared_nothing_never_ends_as_if_records_differed(
    service: HTTPServer, tmp_path: Path, refusal: tuple[int, str], text: str, wait: tuple[str, ...]
) -> None:
    _Service.refusal = refusal

    result = audit(service, tmp_path, "a->b", *wait)

    assert result.exit_code == 2
    assert text in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "nonsense://host", "http://[bad"])
def test_a_service_that_does_not_answer_is_no_difference(tmp_path: Path, url: str) -> None:
    password = tmp_path / "password"
    password.write_text("secret")

    result = CliRunner().invoke(srm, ["audit", "a->b", "--wait", "--url", url, "--password-file", str(password)])

    assert result.exit_code == 2
    assert "no answer from" in result.output


def test_a_password_that_cannot_be_read_is_no_difference(tmp_path: Path) -> None:
    result = CliRunner().invoke(srm, ["audit", "a->b", "--password-file", str(tmp_path / "nowhere")])

    assert result.exit_code == 2
    assert "cannot read the password" in result.output


def test_an_audit_that_cannot_be_watched_to_its_end_is_no_difference(service: HTTPServer, tmp_path: Path) -> None:
    _Service.answers = [state("running", "unknown"), {"detail": "the database does not answer"}]

    result = audit(service, tmp_path, "a->b", "--wait")

    assert result.exit_code == 2
    assert "the database does not answer" in result.output


def test_an_interrupted_wait_cancels_the_audit_and_is_no_difference(
    service: HTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("srm_cli.commands.audit.time.sleep", interrupt)
    _Service.answers = [state("running", "unknown")]

    result = audit(service, tmp_path, "a->b", "--wait")

    assert result.exit_code == 2
    assert "audit 7 cancelled" in result.output


def test_the_exit_codes_are_in_the_help() -> None:
    output = CliRunner().invoke(srm, ["audit", "--help"]).output

    assert "1  only with --wait: records are missing, changed, reordered, unexpected" in output
    assert "2  all other cases" in output


def test_an_open_audit_is_cancelled_by_its_id(service: HTTPServer, tmp_path: Path) -> None:
    result = audit(service, tmp_path, "a->b", "--cancel", "12")
    assert (result.exit_code, result.output) == (0, "audit 12 of a->b is cancelled\n")
    assert _Service.cancelled == f"{AUDITS}/12"


@pytest.mark.parametrize("other", ["--wait", "--strict"])
def test_a_cancellation_takes_no_other_option(service: HTTPServer, tmp_path: Path, other: str) -> None:
    result = audit(service, tmp_path, "a->b", "--cancel", "12", other)
    assert result.exit_code == 2
    assert "--cancel takes no other option" in result.output
