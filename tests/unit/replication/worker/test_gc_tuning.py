import gc

from replication.worker.gc_tuning import NEW_OBJECTS, collect_rarely


def test_a_control_worker_searches_rarely_and_not_in_what_is_loaded() -> None:
    before = gc.get_threshold()
    try:
        collect_rarely()
        assert gc.isenabled()
        assert gc.get_threshold()[0] == NEW_OBJECTS > before[0]
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
