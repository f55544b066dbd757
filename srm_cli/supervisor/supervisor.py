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
    """`run` blocks until SIGINT or SIGTERM. A second signal kills the remaining processes immediately."""

    def __init__(
        self,
        folder: HomeFolder,
        specs: tuple[ProcessSpec, ...],
        *,
        say: Say,
        stop_steps: StopSteps = STOP_STEPS,
    ) -> None:
        self._folder = folder
        self._specs = specs
        self._say = say
        self._stop_steps = stop_steps
        self._stop_requested = asyncio.Event()

    async def run(self, companion: Companion | None = None, *, companion_after: tuple[str, ...] = ()) -> None:
        """`companion`, e.g. a status line, runs once those processes are ready; it is cancelled at the stop.

        Raises:
            OperatorError: another supervisor runs on this folder.
        """
        with HomeLock(self._folder.run):
            guardian = Guardian()
            try:
                await self._run_processes(guardian, companion, companion_after)
            finally:
                guardian.close()

    async def _run_processes(self, guardian: Guardian, companion: Companion | None, after: tuple[str, ...]) -> None:
        report = ReportFile(self._folder.processes_file, tuple(spec.name for spec in self._specs))
        managed = {
            spec.name: ManagedProcess(spec, logs=self._folder.logs, report=report, guardian=guardian, say=self._say)
            for spec in self._specs
        }
        self._listen_for_signals()
        running = [
            asyncio.create_task(each.run([managed[name] for name in each.spec.after])) for each in managed.values()
        ]
        beside = [asyncio.create_task(self._tell_progress(list(managed.values())))]
        if companion is not None:
            beside.append(asyncio.create_task(self._accompany(companion, [managed[name] for name in after])))
        await self._stop_requested.wait()
        for task in beside:
            task.cancel()
        self._say("stopping")
        await self._stop_all(managed)
        await asyncio.gather(*running)
        self._say("stopped")

    async def _stop_all(self, managed: dict[str, ManagedProcess]) -> None:
        self._stop_requested.clear()
        hurry = asyncio.create_task(self._second_signal())
        for names in stop_waves(self._specs):
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
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._stop_requested.set)


async def _stop_wave(wave: list[ManagedProcess], steps: StopSteps) -> None:
    await asyncio.gather(*(each.stop(steps) for each in wave))
