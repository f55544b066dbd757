"""The interval at which Python looks for cycles: a batch makes a million objects, hardly a cycle; the state stays."""

import gc

_NEW_OBJECTS = 1_000_000
_YOUNGER_ROUNDS = 20


def collect_rarely() -> None:
    """Leave alone what is there by now, and look less often; to be called once, when everything is loaded.

    With the usual numbers looking took as long as the counting itself.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, _YOUNGER_ROUNDS, _YOUNGER_ROUNDS)
