"""One supervised process: starts it, waits until it is ready, restarts it when it dies, stops it in steps."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable, Coroutine
from pathlib import Path

from srm_cli.machine.own_secrets import process_environment
from srm_cli.machine.processes import die_with_parent
from srm_cli.supervisor.beats import BeatPipe
from srm_cli.supervisor.guardian import Guardian, kill_group
from srm_cli.supervisor.log_file import last_line, rotate
from srm_cli.supervisor.report import ReportFile
from srm_cli.supervisor.restart_policy import FATAL_EXITS_IN_A_ROW, next_start
from srm_cli.supervisor.spec import ProcessSpec

Say = Callable[[str], None]
StopSteps = tuple[tuple[signal.Signals, float], ...]

STOP_STEPS: StopSteps = ((signal.SIGTERM, 20.0), (signal.SIGQUIT, 12.0))
_PROBE_EVERY_SECONDS = 0.2
_RETURN_SECONDS = 60.0


class ManagedProcess:
    """A supervised process. `ready` stays set after the first readiness: dependent processes are not restarted.

    `failed` is set when the process has repeatedly ended with its fatal code, and is not started again. Without `logs`
    the process writes to the outputs of the supervisor.
    """

    def __init__(
        self, spec: ProcessSpec, *, logs: Path | None, report: ReportFile, guardian: Guardian, say: Say
    ) -> None:
        self.spec = spec
        self.ready = asyncio.Event()
        self.failed = asyncio.Event()
        self._log = None if logs is None else logs / f"{spec.name}.log"
        self._report = report
        self._guardian = guardian
        self._say = say
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = asyncio.Event()
        self._deaths: list[float] = []
        self._started = 0.0
        self._is_slow = False
        self._fatal_exits = 0
        self._is_returning = False
        self._running = asyncio.Event()

    async def run(self, needed: list["ManagedProcess"]) -> None:
        """Wait for the processes it needs, then keep it running until `stop`."""
        if needed:
            self._report.set(self.spec.name, "waiting", note=f"for {', '.join(each.spec.name for each in needed)}")
        await self._unless_stopped(_all_ready(needed))
        while not self._stopping.is_set():
            code = await self._run_once()
            if self._stopping.is_set() or (self.spec.one_shot and code == 0):
                break
            if self._is_returning:
                self._is_returning = False
                continue
            self._fatal_exits = self._fatal_exits + 1 if code == self.spec.fatal_code else 0
            if self._fatal_exits >= FATAL_EXITS_IN_A_ROW:
                self.failed.set()
                break
            await self._pause_before_restart(code)
        if not (self.spec.one_shot and self.ready.is_set()):
            self._report.set(self.spec.name, "stopped")

    async def restart(self) -> None:
        """Send SIGHUP, start the process again as soon as it has ended, and wait until it is ready."""
        process = self._process
        if process is None or process.returncode is not None or self._stopping.is_set():
            return
        self._is_returning = True
        self._running.clear()
        _signal(process, signal.SIGHUP)
        try:
            await asyncio.wait_for(self._running.wait(), _RETURN_SECONDS)
        except TimeoutError:
            self._is_returning = False
            self._say(f"{self.spec.name}: not ready {_RETURN_SECONDS:.0f} s after SIGHUP")

    async def stop(self, steps: StopSteps = STOP_STEPS) -> None:
        """Send the signals of `steps` in turn, then kill the process group."""
        self._stopping.set()
        process = self._process
        if process is None or process.returncode is not None:
            return
        self._report.set(self.spec.name, "stopping", pid=process.pid)
        for number, patience_seconds in steps:
            _signal(process, number)
            done, _ = await asyncio.wait({asyncio.ensure_future(process.wait())}, timeout=patience_seconds)
            if done:
                return
            self._say(f"{self.spec.name}: still running {patience_seconds:.0f} s after {number.name}")
        kill_group(process.pid)
        await process.wait()

    async def _run_once(self) -> int:
        beats = BeatPipe() if self.spec.silent_within_seconds else None
        process = await self._start(beats)
        if self._stopping.is_set():  # the stop came between the decision to start and the process
            kill_group(process.pid)
        watches = [asyncio.create_task(self._wait_until_ready(process))]
        if beats is not None:
            watches.append(asyncio.create_task(self._kill_when_silent(process, beats)))
        try:
            code = await process.wait()
        finally:
            for watch in watches:
                watch.cancel()
            if beats is not None:
                beats.close()
            kill_group(process.pid)  # leftovers of a killed process would interfere with its successor
            self._guardian.remove(process.pid)
        if self.spec.one_shot and code == 0:
            self._report.set(self.spec.name, "done")
            self.ready.set()
        return code

    async def _kill_when_silent(self, process: asyncio.subprocess.Process, beats: BeatPipe) -> None:
        """A process that is frozen does nothing that it is there for, and reacts to no other signal."""
        limit_seconds = self.spec.silent_within_seconds
        await beats.wait_for_silence(limit_seconds, start_seconds=self.spec.ready_within_seconds)
        self._say(f"{self.spec.name}: silent for {limit_seconds:.0f} s, killed{self._see_log()}")
        kill_group(process.pid)

    async def _start(self, beats: BeatPipe | None) -> asyncio.subprocess.Process:
        self._report.set(self.spec.name, "starting", restarted=bool(self._deaths))
        self._started = time.monotonic()
        with contextlib.ExitStack() as opened:
            output = None if self._log is None else opened.enter_context(rotate(self._log).open("ab"))
            self._process = await asyncio.create_subprocess_exec(
                *self.spec.command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=process_environment({**self.spec.env, **({} if beats is None else beats.environment)}),
                pass_fds=() if beats is None else (beats.writer,),
                cwd=self.spec.cwd,
                start_new_session=True,
                preexec_fn=die_with_parent(os.getpid()),
            )
        if beats is not None:
            beats.hand_over()
        self._guardian.add(self._process.pid)
        self._report.set(self.spec.name, "starting", pid=self._process.pid)
        return self._process

    async def _wait_until_ready(self, process: asyncio.subprocess.Process) -> None:
        if self.spec.one_shot:
            return
        started = time.monotonic()
        warned = False
        while self.spec.probe is not None and not await asyncio.to_thread(self.spec.probe, process.pid):
            if not warned and time.monotonic() - started > self.spec.ready_within_seconds:
                warned = True
                self._say(f"{self.spec.name}: not ready after {self.spec.ready_within_seconds:.0f} s{self._see_log()}")
            await asyncio.sleep(_PROBE_EVERY_SECONDS)
        self._report.set(self.spec.name, "running", pid=process.pid)
        self.ready.set()
        self._running.set()

    async def _pause_before_restart(self, code: int) -> None:
        now = time.monotonic()
        self._deaths = [*self._deaths[-9:], now]
        upcoming = next_start(self._deaths, now, lived_seconds=now - self._started, was_slow=self._is_slow)
        self._is_slow = upcoming.mode == "slow"
        how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}{self._last_line()}"
        if upcoming.mode == "slow":
            note = f"{how} repeatedly; restarting once a minute{self._see_log()}"
            self._report.set(self.spec.name, "failing", note=note)
        else:
            note = f"{how}; restarting in {upcoming.delay_seconds:.0f} s"
            self._report.set(self.spec.name, "backing_off", note=note)
        self._say(f"{self.spec.name}: {note}")
        await self._unless_stopped(asyncio.sleep(upcoming.delay_seconds))

    def _last_line(self) -> str:
        return "" if self._log is None else last_line(self._log)

    def _see_log(self) -> str:
        return "" if self._log is None else f"; see {self._log}"

    async def _unless_stopped(self, work: Coroutine[None, None, None]) -> None:
        waiting = asyncio.create_task(work)
        stop = asyncio.create_task(self._stopping.wait())
        await asyncio.wait({waiting, stop}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        stop.cancel()


async def _all_ready(needed: list[ManagedProcess]) -> None:
    for each in needed:
        await each.ready.wait()


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    if process.returncode is None:
        process.send_signal(number)
