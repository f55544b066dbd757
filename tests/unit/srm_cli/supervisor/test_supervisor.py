"""The promises of the supervisor, kept with real processes."""

import os
import signal
from pathlib import Path

from srm_cli.machine.processes import wait_until
from srm_cli.supervisor.lock import holder_pid
from srm_cli.supervisor.restart_policy import FATAL_EXITS_IN_A_ROW
from tests.unit.srm_cli.supervisor.conftest import Supervise, gone

_SLEEP = "import time\ntime.sleep(600)"


def _deaf(ready_file: Path) -> str:
    return (
        "import signal, pathlib, time\nfor n in (signal.SIGTERM, signal.SIGQUIT): signal.signal(n, signal.SIG_IGN)\n"
        f"pathlib.Path({str(ready_file)!r}).touch()\ntime.sleep(600)"
    )


def _beating(beats: int) -> str:
    return (
        "import os, time\n"
        f"for _ in range({beats}):\n    os.write(int(os.environ['SRM_BEAT_FD']), b'.')\n    time.sleep(0.2)\n"
        "time.sleep(600)"
    )


def _with_grandchild(pid_file: Path) -> str:
    return (
        "import subprocess, sys, pathlib, time\n"
        "child = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(600)'])\n"
        f"pathlib.Path({str(pid_file)!r}).write_text(str(child.pid))\ntime.sleep(600)"
    )


def test_a_killed_process_comes_back_as_another_one(supervise: Supervise) -> None:
    running = supervise([{"name": "worker", "code": _SLEEP}])
    first = running.wait_for("worker", "running")
    os.kill(first, signal.SIGKILL)
    second = running.wait_for("worker", "running", restarts=1)
    assert second != first
    assert "killed by SIGKILL" in running.output.read_text()


def test_what_a_killed_process_started_goes_with_it(supervise: Supervise, tmp_path: Path) -> None:
    pid_file = tmp_path / "grandchild"
    running = supervise([{"name": "worker", "code": _with_grandchild(pid_file), "ready_file": str(pid_file)}])
    pid = running.wait_for("worker", "running")
    grandchild = int(pid_file.read_text())
    os.kill(pid, signal.SIGKILL)
    assert gone(grandchild)


def test_a_process_waits_until_what_it_needs_is_ready(supervise: Supervise, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    running = supervise(
        [
            {"name": "first", "code": _SLEEP, "ready_file": str(ready)},
            {"name": "second", "code": _SLEEP, "after": ["first"]},
        ]
    )
    running.wait_for("first", "starting")
    assert running.row("second")["state"] == "waiting"
    ready.touch()
    running.wait_for("second", "running")


def test_a_one_shot_process_is_done_and_not_started_again(supervise: Supervise) -> None:
    running = supervise(
        [
            {"name": "migrate", "code": "print('migrated')", "one_shot": True},
            {"name": "service", "code": _SLEEP, "after": ["migrate"]},
        ]
    )
    running.wait_for("service", "running")
    assert running.row("migrate")["state"] == "done"
    assert (running.home / "logs" / "migrate.log").read_text() == "migrated\n"


def test_one_that_cannot_start_leaves_the_others_running(supervise: Supervise) -> None:
    running = supervise([{"name": "broken", "code": "raise SystemExit(3)"}, {"name": "fine", "code": _SLEEP}])
    running.wait_for("broken", "backing_off", restarts=1)
    assert running.row("fine")["state"] == "running"
    assert "ended with code 3" in running.row("broken")["note"]


def test_a_deaf_process_is_killed_after_the_last_step(supervise: Supervise, tmp_path: Path) -> None:
    is_deaf = tmp_path / "deaf"
    running = supervise([{"name": "deaf", "code": _deaf(is_deaf), "ready_file": str(is_deaf)}])
    pid = running.wait_for("deaf", "running")
    running.stop()
    assert running.process.returncode == 0
    assert "deaf: still running" in running.output.read_text()
    assert gone(pid)


def test_sigterm_stops_all_and_frees_the_folder(supervise: Supervise) -> None:
    running = supervise([{"name": "a", "code": _SLEEP}, {"name": "b", "code": _SLEEP, "after": ["a"]}])
    pids = [running.wait_for("a", "running"), running.wait_for("b", "running")]
    assert holder_pid(running.home / "run") == running.process.pid
    running.stop()
    assert all(gone(pid) for pid in pids)
    assert {running.row(name)["state"] for name in "ab"} == {"stopped"}
    assert holder_pid(running.home / "run") is None


def test_a_supervisor_killed_with_nine_leaves_nothing_behind(supervise: Supervise, tmp_path: Path) -> None:
    pid_file = tmp_path / "grandchild"
    running = supervise([{"name": "worker", "code": _with_grandchild(pid_file), "ready_file": str(pid_file)}])
    pid = running.wait_for("worker", "running")
    grandchild = int(pid_file.read_text())
    running.process.kill()
    running.process.wait()
    assert gone(pid)
    assert gone(grandchild)


def test_a_second_supervisor_on_the_same_folder_is_told_who_runs(supervise: Supervise) -> None:
    running = supervise([{"name": "worker", "code": _SLEEP}])
    running.wait_for("worker", "running")
    second = supervise([{"name": "worker", "code": _SLEEP}])
    assert second.process.wait(15) != 0
    assert f"already running here (pid {running.process.pid})" in second.output.read_text()


def test_a_hangup_restarts_one_process_after_the_other(supervise: Supervise) -> None:
    children = [{"name": "a", "code": _SLEEP}, {"name": "b", "code": _SLEEP}]
    running = supervise(children, restarts_on_hangup=True)
    before = [running.wait_for("a", "running"), running.wait_for("b", "running")]
    running.process.send_signal(signal.SIGHUP)
    assert wait_until(lambda: "restarted" in running.output.read_text(), 15.0)
    assert all(gone(pid) for pid in before)
    assert {running.row(name)["state"] for name in "ab"} == {"running"}
    assert "killed by" not in running.output.read_text()


def test_without_logs_processes_write_to_the_output_of_the_supervisor(supervise: Supervise) -> None:
    running = supervise([{"name": "a", "code": f"print('hello', flush=True)\n{_SLEEP}"}], has_logs=False)
    running.wait_for("a", "running")
    assert wait_until(lambda: "hello" in running.output.read_text(), 15.0)
    assert not (running.home / "logs" / "a.log").exists()


def test_a_fatal_code_ends_the_supervisor_after_several_attempts(supervise: Supervise, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    code = f"open({str(starts)!r}, 'a').write('x')\nraise SystemExit(78)"
    running = supervise([{"name": "twin", "code": code, "fatal_code": 78}, {"name": "other", "code": _SLEEP}])
    assert running.process.wait(60) == 78
    assert starts.read_text() == "x" * FATAL_EXITS_IN_A_ROW
    assert "twin: ended with code 78 repeatedly, stopping" in running.output.read_text()


def test_a_process_that_is_frozen_is_killed_and_comes_back(supervise: Supervise) -> None:
    running = supervise([{"name": "worker", "code": _beating(10_000), "silent_within_seconds": 2.0}])
    first = running.wait_for("worker", "running")
    assert running.stays_alive(first, 2.5)
    os.kill(first, signal.SIGSTOP)
    assert running.wait_for("worker", "running", restarts=1) != first
    assert "worker: silent for 2 s, killed" in running.output.read_text()


def test_a_process_has_longer_for_its_first_beat_than_between_two(supervise: Supervise) -> None:
    child = {"code": _beating(0), "silent_within_seconds": 1.0}
    running = supervise(
        [
            {"name": "slow", **child, "ready_within_seconds": 60.0},
            {"name": "late", **child, "ready_within_seconds": 1.0},
        ]
    )
    slow = running.wait_for("slow", "running")
    running.wait_for("late", "running", restarts=1)
    assert running.row("slow")["pid"] == slow
