"""The steps of a connection test of one broker, in their order, and their results."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

StepName = Literal["name", "tcp", "tls", "protocol", "sasl", "metadata", "rights"]
StepState = Literal["ok", "failed", "not_reached"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """One step; `took_ms` is None for a step that was not reached."""

    name: StepName
    state: StepState
    took_ms: int | None = None
    text: str = ""
    remedy: str = ""


def steps_of(*, uses_tls: bool, uses_sasl: bool, checks_rights: bool) -> tuple[StepName, ...]:
    """Return the steps that these settings need."""
    tls: tuple[StepName, ...] = ("tls",) if uses_tls else ()
    sasl: tuple[StepName, ...] = ("sasl",) if uses_sasl else ()
    rights: tuple[StepName, ...] = ("rights",) if checks_rights else ()
    return ("name", "tcp", *tls, "protocol", *sasl, "metadata", *rights)


def with_unreached(wanted: Sequence[StepName], done: Sequence[StepResult]) -> tuple[StepResult, ...]:
    """Return a result for every wanted step; those without one were not reached."""
    by_name = {result.name: result for result in done}
    return tuple(by_name.get(name, StepResult(name=name, state="not_reached")) for name in wanted)


def first_failure(steps: Sequence[StepResult]) -> StepResult | None:
    """The step that failed; None if there is none."""
    return next((step for step in steps if step.state == "failed"), None)
