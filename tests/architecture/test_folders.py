"""Folders have subjects: few files in each, and a line that says what is decided there."""

import ast
import subprocess
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_FILES = 15
MAX_DOCSTRING_LINES = 3
SOURCES = ("*.py", "*.pyx", "*.ts", "*.tsx")
PACKAGES = ("replication", "metrics", "srm_service", "srm_cli")
UNNAMED = {"migrations", "management"}  # folders that Django looks for by name


def test_no_folder_holds_more_than_15_source_files() -> None:
    listed = subprocess.run(["git", "ls-files", *SOURCES], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [Path(line) for line in listed.stdout.splitlines() if (ROOT / line).is_file()]

    counts = Counter(path.parent for path in paths if _is_source(path))

    assert {str(folder): count for folder, count in counts.items() if count > MAX_FILES} == {}


def test_every_package_folder_says_in_three_lines_what_is_decided_there() -> None:
    packages = [
        init
        for package in PACKAGES
        for init in sorted((ROOT / package).rglob("__init__.py"))
        if not UNNAMED.intersection(init.parts)
    ]
    silent = []
    for init in packages:
        docstring = ast.get_docstring(ast.parse(init.read_text())) or ""
        if not 1 <= len(docstring.splitlines()) <= MAX_DOCSTRING_LINES:
            silent.append(str(init.relative_to(ROOT)))

    assert len(packages) > len(PACKAGES)
    assert silent == []


def _is_source(path: Path) -> bool:
    """Test modules, package markers and migrations are lists by nature and do not count."""
    is_test = path.name.startswith("test_") or ".test." in path.name
    return not is_test and path.name != "__init__.py" and "migrations" not in path.parts
