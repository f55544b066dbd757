"""The archive for executors holds every module of this project that their tasks import."""

import json
import subprocess
import sys

import pytest

from metrics.packaging import MODULES

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
