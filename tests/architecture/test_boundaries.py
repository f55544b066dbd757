"""Rules that import-linter cannot say: what domain may import, how large files are, what no committed file may hold."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("replication", "metrics", "srm_service", "srm_cli")
DOMAIN = sorted((ROOT / "replication/domain").rglob("*.py"))
MAX_LINES = 400
REGISTRY_HOSTS = re.compile(r"https?://(registry|files|repo1?|deb|central|static|proxy)\.[a-z]")
MACHINE_PATHS = re.compile(r"/(work|root)/(main|shared|\.mirror)")


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]


def imported_modules(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


@pytest.mark.parametrize(
    "path", sorted((ROOT / "replication/domain").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_domain_imports_the_standard_library_only(path: Path) -> None:
    allowed = {"re2"} if path == ROOT / "replication/domain/patterns/linear_pattern.py" else set()
    foreign = {
        module
        for module in imported_modules(path)
        if module.split(".")[0] not in sys.stdlib_module_names and not module.startswith("replication.domain")
    }
    assert foreign <= allowed
    assert not {"time", "socket", "logging", "os", "pathlib"} & imported_modules(path)


def test_no_source_file_is_longer_than_400_lines() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in tracked("*.py", "*.ts", "*.tsx")
        if "migrations" not in path.parts and (count := len(path.read_text().splitlines())) > MAX_LINES
    }
    assert not long


def test_no_committed_file_names_a_registry_or_a_machine_path() -> None:
    offenders = []
    for path in tracked():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        if path != Path(__file__).resolve() and (REGISTRY_HOSTS.search(text) or MACHINE_PATHS.search(text)):
            offenders.append(str(path.relative_to(ROOT)))
    assert not offenders
