"""Counts the long steps of the loop by their time: while one runs, every flow of the data worker waits."""

LONG_S = 0.010  # shorter ones are not counted, so that most steps cost one comparison
LIMITS_MS = (25, 50, 100, 250, 500)


class StepTimes:
    """`note` is called with each long step, `take` once in a while."""

    def __init__(self) -> None:
        self._counts = [0] * (len(LIMITS_MS) + 1)
        self._longest_s = 0.0

    def note(self, elapsed_s: float) -> None:
        """Count a step that took at least LONG_S."""
        elapsed_ms = elapsed_s * 1000
        at = next((at for at, limit in enumerate(LIMITS_MS) if elapsed_ms <= limit), len(LIMITS_MS))
        self._counts[at] += 1
        self._longest_s = max(self._longest_s, elapsed_s)

    def drain(self) -> dict[str, int] | None:
        """Return the counts since the last call and the longest step; None without a long step."""
        if not any(self._counts):
            return None
        names = [f"to_{limit}_ms" for limit in LIMITS_MS] + ["longer"]
        taken = dict(zip(names, self._counts, strict=True)) | {"longest_ms": round(self._longest_s * 1000)}
        self._counts = [0] * len(self._counts)
        self._longest_s = 0.0
        return taken
