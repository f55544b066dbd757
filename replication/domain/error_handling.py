"""What a flow does with a record its target refuses, in our words and in Kafka Connect's.

`errors.tolerance=all` skips, a dead letter topic keeps, `none` stops the partition. Time limits bound errors that may
pass by themselves; without them such errors are retried for ever, as Kafka's own producer does for a connector.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ErrorsPolicy = Literal["stop_partition", "dead_letter", "skip"]
_POLICIES: dict[str, ErrorsPolicy] = {
    "stop_partition": "stop_partition",
    "dead_letter": "dead_letter",
    "skip": "skip",
}

POLICY = "srm.errors.policy"
TOLERANCE = "errors.tolerance"
DEAD_LETTERS = "errors.deadletterqueue.topic.name"
RETRY_TIMEOUT = "errors.retry.timeout"
RETRY_DELAY_MAX = "errors.retry.delay.max.ms"
UNMASKED_LETTERS = "srm.errors.deadletters.unmasked"
ERROR_SETTINGS = (POLICY, TOLERANCE, DEAD_LETTERS, RETRY_TIMEOUT, RETRY_DELAY_MAX, UNMASKED_LETTERS)
SHORTEST_DELAY_MS = 100
DEFAULT_DELAY_MAX_MS = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorHandling:
    """One flow's rules for records that its target refuses."""

    policy: ErrorsPolicy = "stop_partition"
    dead_letter_topic: str = ""  # in the target
    retry_timeout_ms: int | None = None  # for errors that may pass by themselves; None: for ever
    retry_delay_max_ms: int = DEFAULT_DELAY_MAX_MS
    unmasked_letters: bool = False  # letters hold records as they were although transforms hide some of them


def dead_letters_topic(source: str) -> str:
    """Where the dead letters of the flows from a source go, unless the flow names a topic; in the target."""
    return f"srm-dead-letters.{source}.internal"


def read_error_handling(settings: Mapping[str, str], source: str) -> ErrorHandling:
    """From a flow's settings. ValueError names the setting and what it takes."""
    timeout_ms = _whole_number(settings, RETRY_TIMEOUT, -1)
    return ErrorHandling(
        policy=_policy(settings),
        dead_letter_topic=settings.get(DEAD_LETTERS, "").strip() or dead_letters_topic(source),
        retry_timeout_ms=timeout_ms if timeout_ms > 0 else None,
        retry_delay_max_ms=max(SHORTEST_DELAY_MS, _whole_number(settings, RETRY_DELAY_MAX, DEFAULT_DELAY_MAX_MS)),
        unmasked_letters=_truth(settings, UNMASKED_LETTERS),
    )


def _policy(settings: Mapping[str, str]) -> ErrorsPolicy:
    own = settings.get(POLICY, "").strip().lower()
    if own:
        if own not in _POLICIES:
            raise ValueError(f"{POLICY}={own!r} must be {', '.join(_POLICIES)}: correct it in the flow's settings")
        return _POLICIES[own]
    if settings.get(DEAD_LETTERS, "").strip():
        return "dead_letter"
    tolerance = settings.get(TOLERANCE, "none").strip().lower()
    if tolerance not in ("all", "none"):
        raise ValueError(f"{TOLERANCE}={tolerance!r} is neither all nor none: correct it in the flow's settings")
    return "skip" if tolerance == "all" else "stop_partition"


def _truth(settings: Mapping[str, str], name: str) -> bool:
    text = settings.get(name, "false").strip().lower()
    if text not in ("true", "false"):
        raise ValueError(f"{name}={text!r} is neither true nor false: correct it in the flow's settings")
    return text == "true"


def _whole_number(settings: Mapping[str, str], name: str, default: int) -> int:
    text = settings.get(name)
    try:
        return default if text is None else int(text)
    except ValueError as error:
        raise ValueError(f"{name}={text!r} is not a whole number of ms: correct it in the flow's settings") from error
