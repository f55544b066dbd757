"""The wall clock of a driver process, wrong by as much as a test says."""

import os
from pathlib import Path


class ShiftedClock:
    """Steps like a clock that someone sets; `environment` is for the processes."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "clock"
        self.step_to(0)

    @property
    def environment(self) -> dict[str, str]:
        paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
        return {"SRM_TEST_CLOCK": str(self._file), "PYTHONPATH": os.pathsep.join(filter(None, paths))}

    def step_to(self, seconds: int) -> None:
        """The clock is wrong by these seconds from now on."""
        new = self._file.with_suffix(".new")
        new.write_text(str(seconds))
        new.replace(self._file)
