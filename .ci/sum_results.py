"""Adds up the JUnit files of several pytest runs into one last line."""

import sys
from pathlib import Path
from xml.etree import ElementTree


def main(folder: Path) -> int:
    """Exit code 1 when anything failed or nothing ran."""
    total = failed = skipped = 0
    for path in sorted(folder.glob("*.xml")):
        for suite in ElementTree.parse(path).iter("testsuite"):  # noqa: S314 - written by our own pytest
            total += int(suite.get("tests", 0))
            failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
            skipped += int(suite.get("skipped", 0))
    sys.stdout.write(f"{total - failed - skipped} passed, {failed} failed, {skipped} skipped\n")
    return 1 if failed or total == 0 else 0


sys.exit(main(Path(sys.argv[1])))
