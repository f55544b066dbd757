"""Ends a web worker whose parent has ended: it would hold the port, and no one would replace or stop it."""

import multiprocessing
import os
import signal
import threading
import time

import structlog

_GRACE_S = 10.0
_log = structlog.get_logger(__name__)


def end_with_parent() -> None:
    """Watch the parent of a worker from a thread. A process that is no worker has no such parent."""
    if multiprocessing.parent_process() is not None:
        threading.Thread(target=_wait_for_end, name="parent watch", daemon=True).start()


def _wait_for_end() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    _log.error("the parent of this web worker has ended; the worker ends, too")
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GRACE_S)
    os._exit(1)
