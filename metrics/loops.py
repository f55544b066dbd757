"""Threads that live as long as the process: started once, told to end by an event, waited for at the end."""

from threading import Event, Thread

import structlog

from metrics.errors import MetricsError

log = structlog.get_logger()


class ThreadLoop:
    """The base of what runs beside the main thread; `_run` is its work and returns soon after `stop` is set."""

    def __init__(self, name: str, stop: Event) -> None:
        self._stop = stop
        self._thread = Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def join(self, timeout_s: float) -> bool:
        """Return True if the thread has ended within the time."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        raise NotImplementedError


class RepeatedLoop(ThreadLoop):
    """`run_once` again and again; what it raises is put off to the next round, and nothing ends the thread."""

    def __init__(self, name: str, stop: Event, *, every_s: float) -> None:
        super().__init__(name, stop)
        self._name = name
        self._every_s = every_s

    def run_once(self) -> object:
        raise NotImplementedError

    def _forget(self) -> None:
        """Release what the next round opens again; after a failure and at the end."""

    def _run(self) -> None:
        while not self._stop.wait(self._every_s):
            try:
                self.run_once()
            except MetricsError as error:
                log.debug("round put off", loop=self._name, error=str(error))
                self._forget()
            except Exception:
                log.exception("round failed", loop=self._name)
                self._forget()
        self._forget()
