import gc

from metrics.gc_tuning import collect_rarely


def test_cycles_are_looked_for_rarely_and_not_in_what_is_loaded() -> None:
    before = gc.get_threshold()
    try:
        collect_rarely()
        assert gc.isenabled()
        assert gc.get_threshold() > before
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
