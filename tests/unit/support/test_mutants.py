"""The mutation check finds what can be flipped, and leaves texts and log lines as they are."""

from tests.mutation.covering import Coverage
from tests.mutation.mutants import code_of, mutants, with_watch

_SOURCE = '''
class Gate:
    def admits(self, number: int, *, most: int = 3) -> bool:
        """Text with 1 number."""
        log.info("seen", number=number + 1)
        if number < most and not self.closed:
            return True
        return f"{number == 1}" == ""
'''


def _pairs() -> set[tuple[str, str]]:
    return {(each.before, each.after) for each in mutants(_SOURCE, "gate.py")}


def test_comparisons_conditions_and_booleans_are_flipped() -> None:
    assert _pairs() >= {
        ("number < most", "number <= most"),
        ("number < most and (not self.closed)", "number < most or not self.closed"),
        ("not self.closed", "self.closed"),
        ("if number < most and (not self.closed)", "if not (number < most and (not self.closed))"),
        ("True", "False"),
    }


def test_texts_defaults_and_log_lines_stay() -> None:
    assert not {pair for pair in _pairs() if "number + 1" in pair[0] or pair[0] in ("1", "3", "number == 1")}


def test_a_mutant_behaves_differently() -> None:
    [closed] = [each for each in mutants(_SOURCE, "gate.py") if each.after == "self.closed"]

    assert closed.function == "Gate.admits"
    assert _admits(closed.code) is False


def test_a_watched_function_names_its_statements() -> None:
    seen: list[int] = []
    [(name, code)] = with_watch(_SOURCE, "gate.py", "watch")

    assert name == "Gate.admits"
    assert _admits(code, watch=seen.append) is True
    assert seen == [4, 5, 6, 7]


def test_the_code_of_a_method_is_found_by_its_qualified_name() -> None:
    assert code_of(compile(_SOURCE, "gate.py", "exec"), "Gate.admits").co_name == "admits"


def _admits(code: object, **names: object) -> object:
    class Log:
        def info(self, _event: str, **_fields: object) -> None: ...

    namespace: dict[str, object] = {"log": Log(), **names}
    exec(compile(_SOURCE, "gate.py", "exec"), namespace)  # noqa: S102
    gate = namespace["Gate"]
    assert isinstance(gate, type)
    instance = gate()
    instance.closed = False
    gate.admits.__code__ = code  # type: ignore[attr-defined]
    return instance.admits(2)


def test_tests_are_as_slow_as_other_work_makes_them() -> None:
    assert Coverage(seconds={0: 1.0, 1: 2.0}, cpu_s=1.5).slowness == 2.0
    assert Coverage(seconds={0: 1.0}, cpu_s=2.0).slowness == 1.0  # several threads
    assert Coverage().slowness == 1.0
