"""The interval at which Python's garbage collector looks for cycles in a control worker.

A round of checkpoints makes a million objects that live until the next round, and hardly a cycle. With the usual
numbers the search takes half of the round's CPU.
"""

import gc

NEW_OBJECTS = 50_000
_YOUNGER_ROUNDS = 20


def collect_rarely() -> None:
    """Leave alone what is loaded by now, and search less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, _YOUNGER_ROUNDS, _YOUNGER_ROUNDS)
