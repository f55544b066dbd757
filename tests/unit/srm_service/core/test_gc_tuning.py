import gc

from srm_service.core.web.gc_tuning import collect_rarely


def test_a_web_process_looks_rarely_for_cycles_and_not_in_what_it_has_loaded() -> None:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)  # as Python begins
    try:
        collect_rarely()
        assert gc.isenabled()
        assert gc.get_threshold()[0] > 700
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
