"""The error of a setting whose value is not allowed: the same words in every place that reads settings."""

from replication.domain.errors import ConfigurationError

REMEDY = "correct it in the flow's settings"


class SettingError(ConfigurationError, ValueError):
    """The value of a setting is not allowed. `problem` is the text without the key and the remedy."""

    def __init__(self, key: str, value: str, allowed: str, detail: str = "") -> None:
        self.key = key
        self.value = value
        self.allowed = allowed
        self.problem = f"must be {allowed}, not {value!r}" + (f" ({detail})" if detail else "")
        super().__init__(f"{key} {self.problem}; {REMEDY}")
