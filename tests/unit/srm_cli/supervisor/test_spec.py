"""The order in which processes stop."""

from srm_cli.supervisor.spec import ProcessSpec, stop_waves


def _spec(name: str, *after: str) -> ProcessSpec:
    return ProcessSpec(name=name, command=("true",), after=after)


def test_nothing_stops_before_those_that_need_it() -> None:
    specs = (_spec("redis"), _spec("service", "redis"), _spec("traffic", "service"), _spec("driver", "redis"))
    assert stop_waves(specs) == [["traffic", "driver"], ["service"], ["redis"]]


def test_a_cycle_still_stops() -> None:
    assert stop_waves((_spec("a", "b"), _spec("b", "a"))) == [["a", "b"]]
