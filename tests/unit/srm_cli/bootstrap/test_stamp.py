"""The second start skips what is there, and only that."""

from pathlib import Path

from srm_cli.bootstrap.stamp import digest_of, is_current, page_sources


def _page(folder: Path) -> Path:
    for name in ("src/app.tsx", "node_modules/x/index.js", "dist/index.html", "package-lock.json", "e2e/a.test.ts"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return folder


def test_a_changed_source_asks_for_a_new_build(tmp_path: Path) -> None:
    before = digest_of(page_sources(_page(tmp_path)))
    (tmp_path / "src" / "app.tsx").write_text("changed")
    assert digest_of(page_sources(tmp_path)) != before


def test_dependencies_and_output_do_not_count_as_sources(tmp_path: Path) -> None:
    before = digest_of(page_sources(_page(tmp_path)))
    (tmp_path / "dist" / "index.html").write_text("built again")
    (tmp_path / "node_modules" / "x" / "index.js").write_text("changed")
    assert digest_of(page_sources(tmp_path)) == before


def test_a_stamp_of_other_inputs_is_not_current(tmp_path: Path) -> None:
    stamp = tmp_path / "stamp"
    assert not is_current(stamp, "a")
    stamp.write_text("a")
    assert is_current(stamp, "a")
    assert not is_current(stamp, "b")
