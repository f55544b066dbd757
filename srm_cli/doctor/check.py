"""The result of one look."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "warning", "missing"]
_MARKS: dict[Verdict, str] = {"ok": "✓", "warning": "!", "missing": "✗"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """`remedy` is empty when the verdict is ok. A warning keeps nothing from running."""

    name: str
    verdict: Verdict
    text: str
    remedy: str = ""

    def __str__(self) -> str:
        remedy = f" - {self.remedy}" if self.remedy else ""
        return f"{_MARKS[self.verdict]} {self.name:<12} {self.text}{remedy}"
