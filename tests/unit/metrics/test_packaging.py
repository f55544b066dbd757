"""The archive for executors holds every module of this project that their tasks import."""

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from metrics.packaging import MODULES, package

_LIST = (
    "import json, sys, {module}; "
    "print(json.dumps([name for name in sys.modules if name.split('.')[0] in ('metrics', 'replication')]))"
)


@pytest.mark.parametrize("module", ["metrics.stream.executor_tasks", "metrics.export.slice_task"])
def test_the_archive_has_what_a_task_imports(module: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _LIST.format(module=module)], capture_output=True, text=True, check=True
    )
    imported = [name.replace(".", "/") for name in json.loads(run.stdout)]

    packages = tuple(f"{found}/" for found in MODULES if not found.endswith(".py"))
    files = {found.removesuffix(".py").removesuffix("/__init__") for found in MODULES}
    assert len(imported) > 10
    assert [name for name in imported if name not in files and not f"{name}/".startswith(packages)] == []


@pytest.mark.slow
def test_the_archive_is_all_that_a_worker_needs(tmp_path: Path) -> None:
    written = CliRunner().invoke(package, ["--out", str(tmp_path / "srm.tar.gz")])
    assert written.exit_code == 0, written.output
    with tarfile.open(tmp_path / "srm.tar.gz") as archive:
        archive.extractall(tmp_path / "srm", filter="data")
    # -I and -S: neither this folder, nor PYTHONPATH, nor installed packages
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'srm')!r}); "
        "import metrics.stream.executor_tasks, metrics.export.slice_task, metrics.store.postgres, psycopg, pyarrow; "
        "print(metrics.__file__)"
    )

    run = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, cwd=tmp_path)

    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(str(tmp_path))
