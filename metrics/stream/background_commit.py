"""Commits a batch in a thread, while Spark already works on the next one."""

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from threading import Thread

from metrics.errors import StoreUnavailableError

Checked = Callable[[], None]


class BackgroundCommit:
    """Runs one commit at a time. After a commit that failed it takes no other."""

    def __init__(self) -> None:
        self._running: Future[None] | None = None
        self._error: BaseException | None = None
        self._is_broken = False

    @property
    def failed(self) -> bool:
        """Return True if a commit has failed."""
        return self._is_broken

    def start(self, commit: Callable[[Checked], None]) -> None:
        """Run a commit in a thread; return when it calls the function that it receives, and the rest follows.

        Raises what the commit raises before that call, and what a former commit has failed with.
        """
        self.settle()
        checked: Future[None] = Future()
        ended: Future[None] = Future()
        Thread(target=self._run, args=(commit, checked, ended), name="metrics-commit", daemon=True).start()
        try:
            checked.result()
        finally:
            del checked  # its error would keep it, and it the error
        self._running = ended

    def settle(self) -> None:
        """Wait until the commit has ended. Raises its error, and from then on that it failed."""
        running, self._running = self._running, None
        if running is not None:
            running.result()
        if self._is_broken:
            raise self.pop_error() or StoreUnavailableError("a former batch of this query was not committed")

    def pop_error(self) -> BaseException | None:
        """Return the error of the commit that failed, once."""
        error, self._error = self._error, None
        return error

    def _run(self, commit: Callable[[Checked], None], checked: "Future[None]", ended: "Future[None]") -> None:
        try:
            commit(partial(checked.set_result, None))
        except BaseException as error:  # whoever waits raises it; without an answer they would wait for ever
            if checked.done():
                self._error, self._is_broken = error, True
            else:
                checked.set_exception(error)
        finally:
            ended.set_result(None)
            del commit, checked, ended
