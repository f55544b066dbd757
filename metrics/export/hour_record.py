"""The record of an exported hour: a small JSON file beside the tables, written last. Pure.

It lies with the files that it describes, so it cannot disagree with them after the store was lost, restored or moved,
or after another folder was chosen.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRecord:
    """One table of the hour: its rows, and the fingerprint of the tiles that it was written from."""

    rows: int
    fingerprint: str
    exported_ms: int


@dataclass(frozen=True, slots=True)
class HourRecord:
    """The tables of an hour that are complete; none while they are being replaced."""

    tables: Mapping[str, TableRecord] = field(default_factory=dict)

    def holds(self, tables: Collection[str], fingerprint: str | None) -> bool:
        """Return True if all of these tables are complete and, if a fingerprint is given, written from such tiles."""
        found = [self.tables.get(name) for name in tables]
        return all(each is not None and fingerprint in (None, each.fingerprint) for each in found)

    def without(self, tables: Collection[str]) -> "HourRecord":
        return HourRecord({name: table for name, table in self.tables.items() if name not in tables})

    def with_tables(self, tables: Mapping[str, TableRecord]) -> "HourRecord":
        return HourRecord({**self.tables, **tables})

    def to_json(self, target: str, hour: str) -> str:
        tables = {
            name: {"rows": table.rows, "fingerprint": table.fingerprint, "exported_ms": table.exported_ms}
            for name, table in sorted(self.tables.items())
        }
        return json.dumps({"v": VERSION, "target": target, "hour": hour, "tables": tables}, indent=1)

    @classmethod
    def from_json(cls, text: str | None) -> "HourRecord":
        """Read back what `to_json` wrote. A record that cannot be read vouches for nothing."""
        try:
            tables = json.loads(text or "{}").get("tables", {})
            return cls(
                {
                    str(name): TableRecord(
                        rows=int(found["rows"]),
                        fingerprint=str(found["fingerprint"]),
                        exported_ms=int(found["exported_ms"]),
                    )
                    for name, found in tables.items()
                }
            )
        except (ValueError, TypeError, KeyError, AttributeError):
            return cls()
