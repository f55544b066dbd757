"""One live topic's state: what everybody has seen, and the frames that lead from there to now. No I/O."""

import json
from collections.abc import Mapping, Sequence

from srm_service.live.payloads import LiveFrame
from srm_service.live.tables import Row, Rows


class TopicFrames:
    """Numbers the frames of a topic. Each is encoded once, however many read it."""

    def __init__(self, topic: str, columns: Sequence[str], epoch: str) -> None:
        self._topic = topic
        self._columns = list(columns)
        self._epoch = epoch
        self._seq = 0
        self._rows: Rows = {}

    def snapshot(self, time_ms: int) -> str:
        """All rows; the next delta has the number after this."""
        return self._encoded("snapshot", list(self._rows.values()), [], time_ms)

    def delta(self, rows: Mapping[str, Row], time_ms: int) -> str:
        """Return the rows that changed since the last frame, whole; sent even if empty: silence means trouble."""
        changed = [row for key, row in rows.items() if self._rows.get(key) != row]
        removed = [key for key in self._rows if key not in rows]
        self._rows = dict(rows)
        self._seq += 1
        return self._encoded("delta", changed, removed, time_ms)

    def event(self, row: Row, time_ms: int, keep: int) -> str:
        """A row that is added; the last `keep` of them make the snapshot."""
        self._rows[str(row[0])] = row
        while len(self._rows) > keep:
            del self._rows[next(iter(self._rows))]
        self._seq += 1
        return self._encoded("event", [row], [], time_ms)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of the next snapshot."""
        return tuple(self._rows.values())

    def replace(self, rows: Mapping[str, Row]) -> None:
        """Set the rows without a frame: before the first reader."""
        self._rows = dict(rows)

    def _encoded(self, kind: str, rows: list[Row], removed: list[str], time_ms: int) -> str:
        frame: LiveFrame = {
            "type": "snapshot" if kind == "snapshot" else "event" if kind == "event" else "delta",
            "topic": self._topic,
            "epoch": self._epoch,
            "seq": self._seq,
            "time_ms": time_ms,
            "columns": self._columns,
            "rows": rows,
            "removed": removed,
        }
        return json.dumps(frame, separators=(",", ":"))
