"""The retention of tiles of each width: one setting, for the writer that deletes and the service that queries."""

import re
from dataclasses import dataclass, fields

_UNITS_MS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000}
_WIDTHS = {"10s": "ten_seconds_ms", "1m": "minutes_ms", "1h": "hours_ms"}
_LEAST_MS = {"ten_seconds_ms": 600_000, "minutes_ms": 3_600_000, "hours_ms": 86_400_000}


@dataclass(frozen=True, slots=True, kw_only=True)
class TileRetention:
    """Ages in ms after which tiles are deleted."""

    ten_seconds_ms: int = 2 * 3_600_000
    minutes_ms: int = 48 * 3_600_000
    hours_ms: int = 90 * 86_400_000

    def of_width(self, width: str) -> int:
        """The age for `10s`, `1m` or `1h`."""
        return int(getattr(self, _WIDTHS[width]))


def parse_retention(text: str) -> TileRetention:
    """`10s=2h,1m=48h,1h=90d`; widths that are not named keep their default. ValueError says what is wrong."""
    values: dict[str, int] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        width, _, age = part.partition("=")
        found = re.fullmatch(r"(\d+)([mhd])", age.strip())
        name = _WIDTHS.get(width.strip())
        if name is None or found is None:
            raise ValueError(f"cannot read {part!r}: write it like 10s=2h,1m=48h,1h=90d")
        values[name] = int(found[1]) * _UNITS_MS[found[2]]
        if values[name] < _LEAST_MS[name]:
            raise ValueError(f"{part!r} is too short: the roll-up needs at least 10s=10m,1m=1h,1h=1d")
    retention = TileRetention(**values)
    ages = [getattr(retention, each.name) for each in fields(retention)]
    if ages != sorted(ages):
        raise ValueError(f"{text!r} keeps wide tiles for a shorter time than narrow ones")
    return retention
