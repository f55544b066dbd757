import importlib
import sys
import zipfile
from pathlib import Path
from zipimport import zipimporter

import pytest

from metrics.worker_archives import keep_archive_directories


def test_the_directory_of_an_archive_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "modules.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("kept_in_an_archive.py", "VALUE = 1")
    monkeypatch.syspath_prepend(str(archive))
    assert importlib.import_module("kept_in_an_archive").VALUE == 1
    finder = sys.path_importer_cache[str(archive)]
    assert isinstance(finder, zipimporter)

    keep_archive_directories()
    archive.unlink()
    importlib.invalidate_caches()

    assert not finder.is_package("kept_in_an_archive")  # raises for a module that the directory does not have
    monkeypatch.delitem(sys.modules, "kept_in_an_archive")
    monkeypatch.delitem(sys.path_importer_cache, str(archive))
