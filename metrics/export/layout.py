"""The folders of a history. Pure.

    <uri>/<table>/target=<alias>/day=YYYY-MM-DD/hour=HH/part-0.parquet
    <uri>/_hours/target=<alias>/day=YYYY-MM-DD/hour=HH.json    the record of an hour
    <uri>/_staging/target=<alias>/<attempt>/                   files of an attempt that are not published

Readers of Hive-style folders skip names that begin with an underscore. A table has one file per hour: file systems
replace a file in one step, and a folder in two.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

FILE = "part-0.parquet"


@dataclass(frozen=True, slots=True)
class HistoryLayout:
    """The paths of one target in a history."""

    uri: str
    target: str

    def hour_file(self, table: str, hour_ms: int) -> str:
        """The file that readers see."""
        return f"{self._of_target(table)}/{self.hour_folder(hour_ms)}/{FILE}"

    def hour_record(self, hour_ms: int) -> str:
        """The record that the hour is complete."""
        return f"{self._of_target('_hours')}/{self.hour_folder(hour_ms)}.json"

    @property
    def staging(self) -> str:
        """The folder of all attempts."""
        return self._of_target("_staging")

    def attempt(self, name: str) -> str:
        """The folder of an attempt."""
        return f"{self.staging}/{name}"

    @staticmethod
    def hour_folder(hour_ms: int) -> str:
        """The folders of an hour, below any table."""
        day, hour = day_and_hour(hour_ms)
        return f"day={day}/hour={hour}"

    def _of_target(self, folder: str) -> str:
        return f"{self.uri}/{folder}/target={self.target}"


def day_and_hour(hour_ms: int) -> tuple[str, str]:
    """`2026-11-22` and `05`, in UTC."""
    found = datetime.fromtimestamp(hour_ms // 1_000, tz=UTC)
    return found.strftime("%Y-%m-%d"), found.strftime("%H")
