"""The interval at which Python looks for cycles in a web process.

A process holds about a million objects that live as long as it does: modules, models, URL patterns, serializers. A full
search looks at each of them and stops all threads: with the usual numbers for a quarter of a second every few seconds.
"""

import gc

from django.urls import get_resolver

_NEW_OBJECTS = 10_000
_YOUNGER_ROUNDS, _FULL_ROUNDS = 5, 20


def collect_rarely() -> None:
    """Load what requests use and leave it alone from now on; search less often for what requests made."""
    _ = get_resolver().url_patterns
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, _YOUNGER_ROUNDS, _FULL_ROUNDS)
