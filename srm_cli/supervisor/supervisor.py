"""Runs all processes of one home folder, from the first start to the last stop."""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable

from srm_cli.machine.home import HomeFolder
from srm_cli.supervisor.guardian import Guardian
from srm_cli.supervisor.lock import HomeLock
from srm_cli.supervisor.managed import STOP_STEPS, ManagedProcess, Say, StopSteps
from srm_cli.supervisor.report import ReportFile
from srm_cli.supervisor.spec import ProcessSpec, stop_waves

Companion = Callable[[], Awaitable[None]]

_PROGRESS_SECONDS = 4.0


class Supervisor:
    """`run` blocks until SIGINT or SIGTERM. A second signal kills the remaining processes immediately.

    SIGHUP, which the end of a terminal sends, stops as well. With `restarts_on_hangup` it restarts one process after
    the other. Without `has_logs` the processes write to this process's outputs.
    """

    def __init__(
        self,
        folder: HomeFolder,
        specs: tuple[ProcessSpec, ...],
        *,
        say: Say,
        stop_steps: StopSteps = STOP_STEPS,
        has_logs: bool = True,
        restarts_on_hangup: bool = False,
    ) -> None:
        self._folder = folder
        self.specs = specs
        self._say = say
        self._stop_steps = stop_steps
        self._logs = folder.logs if has_logs else None
        self._restarts_on_hangup = restarts_on_hangup
        self._stop_requested = asyncio.Event()
        self._restart_requested = asyncio.Event()

    async def run(self, companion: Companion | None = None, *, companion_after: tuple[str, ...] = ()) -> int:
        """Return the exit code: 0 after a stop, or the fatal code of a process.

        `companion`, e.g. a status line, runs once those processes are ready; it is cancelled at the stop.

        Raises:
            OperatorError: another supervisor runs on this folder.
        """
        with HomeLock(self._folder.run):
            guardian = Guardian()
            try:
                return await self._run_processes(guardian, companion, companion_after)
            finally:
                guardian.close()

    async def _run_processes(self, guardian: Guardian, companion: Companion | None, after: tuple[str, ...]) -> int:
        report = ReportFile(self._folder.processes_file, tuple(spec.name for spec in self.specs))
        managed = {
            spec.name: ManagedProcess(spec, logs=self._logs, report=report, guardian=guardian, say=self._say)
            for spec in self.specs
        }
        self._listen_for_signals()
        running = [
            asyncio.create_task(each.run([managed[name] for name in each.spec.after])) for each in managed.values()
        ]
        beside = [asyncio.create_task(self._tell_progress(list(managed.values())))]
        if companion is not None:
            beside.append(asyncio.create_task(self._accompany(companion, [managed[name] for name in after])))
        if self._restarts_on_hangup:
            beside.append(asyncio.create_task(self._restart_when_asked(list(managed.values()))))
        failing = [asyncio.create_task(self._stop_at_failure(each)) for each in managed.values()]
        await self._stop_requested.wait()
        for task in (*beside, *failing):
            task.cancel()
        self._say("stopping")
        await self._stop_all(managed)
        await asyncio.gather(*running)
        self._say("stopped")
        codes = (each.spec.fatal_code for each in managed.values() if each.failed.is_set())
        return next((code for code in codes if code is not None), 0)

    async def _restart_when_asked(self, managed: list[ManagedProcess]) -> None:
        """Restart one process after the other at each SIGHUP, so that the others continue to work."""
        while True:
            await self._restart_requested.wait()
            self._restart_requested.clear()
            self._say(f"restarting {len(managed)} processes, one after the other")
            for each in managed:
                await each.restart()
            self._say("restarted")

    async def _stop_at_failure(self, process: ManagedProcess) -> None:
        await process.failed.wait()
        self._say(f"{process.spec.name}: ended with code {process.spec.fatal_code} repeatedly, stopping")
        self._stop_requested.set()

    async def _stop_all(self, managed: dict[str, ManagedProcess]) -> None:
        self._stop_requested.clear()
        hurry = asyncio.create_task(self._second_signal())
        for names in stop_waves(self.specs):
            wave = [managed[name] for name in names]
            stopping = asyncio.create_task(_stop_wave(wave, () if hurry.done() else self._stop_steps))
            await asyncio.wait({stopping, hurry}, return_when=asyncio.FIRST_COMPLETED)
            if not stopping.done():
                await _stop_wave(wave, ())
            await stopping
        hurry.cancel()

    async def _second_signal(self) -> None:
        await self._stop_requested.wait()

    async def _accompany(self, companion: Companion, needed: list[ManagedProcess]) -> None:
        for each in needed:
            await each.ready.wait()
        try:
            await companion()
        except Exception as error:  # the processes matter more than what is printed about them
            self._say(f"the status line ended: {error!r}")

    async def _tell_progress(self, managed: list[ManagedProcess]) -> None:
        began = time.monotonic()
        for awaited in managed:
            while not awaited.ready.is_set():
                try:
                    await asyncio.wait_for(awaited.ready.wait(), _PROGRESS_SECONDS)
                except TimeoutError:
                    missing = [each.spec.name for each in managed if not each.ready.is_set()]
                    self._say(f"waiting for {', '.join(missing)}, {time.monotonic() - began:.0f} s")
        self._say(f"everything runs, {time.monotonic() - began:.0f} s after the start")

    def _listen_for_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop_requested.set)
        on_hangup = self._restart_requested if self._restarts_on_hangup else self._stop_requested
        loop.add_signal_handler(signal.SIGHUP, on_hangup.set)


async def _stop_wave(wave: list[ManagedProcess], steps: StopSteps) -> None:
    await asyncio.gather(*(each.stop(steps) for each in wave))
