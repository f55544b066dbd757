"""The result of one check of this machine."""

from dataclasses import dataclass
from typing import Literal

CheckState = Literal["ok", "warning", "missing"]
_MARKS: dict[CheckState, str] = {"ok": "✓", "warning": "!", "missing": "✗"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The result of one check. `remedy` is empty when it is ok. A warning does not prevent a start."""

    name: str
    state: CheckState
    text: str
    remedy: str = ""

    def __str__(self) -> str:
        remedy = f" - {self.remedy}" if self.remedy else ""
        return f"{_MARKS[self.state]} {self.name:<12} {self.text}{remedy}"
