"""One archive with what Spark's Python workers import: this project's pure modules, and the libraries they need.

    python -m metrics.packaging --out srm-executors.tar.gz

Spark unpacks it beside each executor: `--archives srm-executors.tar.gz#srm --conf spark.executorEnv.PYTHONPATH=srm`.
Executors need the same minor version of Python and the same kind of machine as this process.
"""

import importlib.metadata
import tarfile
from collections.abc import Iterator
from pathlib import Path

import click

_ROOT = Path(__file__).parents[1]
MODULES = (
    "metrics/__init__.py",
    "metrics/errors.py",
    "metrics/gc_tuning.py",
    "metrics/schemas.py",
    "metrics/counting",
    "metrics/export/__init__.py",
    "metrics/export/columns.py",
    "metrics/export/covered_hour.py",
    "metrics/export/layout.py",
    "metrics/export/slice_task.py",
    "metrics/store",
    "metrics/stream/__init__.py",
    "metrics/stream/executor_tasks.py",
    "metrics/stream/ledger.py",
    "metrics/worker_archives.py",
    "replication/__init__.py",
    "replication/domain",
)
LIBRARIES = ("orjson", "pyarrow", "psycopg", "psycopg-binary", "typing-extensions")
_SKIPPED = ("__pycache__", "tests", "include", "..")


@click.command()
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The archive to write, a .tar.gz.")
def package(out: Path) -> None:
    """Write the archive for Spark's executors."""
    with tarfile.open(out, "w:gz", compresslevel=1) as archive:
        for path, name in (*_modules(), *_libraries()):
            archive.add(path, name, recursive=False)
    click.echo(f"{out}: {out.stat().st_size / 1e6:.0f} MB")


def _modules() -> Iterator[tuple[Path, str]]:
    for module in MODULES:
        path = _ROOT / module
        for file in [path] if path.is_file() else sorted([*path.rglob("*.py"), *path.rglob("*.so")]):
            yield file, str(file.relative_to(_ROOT))


def _libraries() -> Iterator[tuple[Path, str]]:
    for library in LIBRARIES:
        for file in importlib.metadata.files(library) or ():
            path = Path(str(file.locate()))
            if path.is_file() and not any(part in _SKIPPED for part in file.parts):
                yield path, str(file)


if __name__ == "__main__":
    package()
