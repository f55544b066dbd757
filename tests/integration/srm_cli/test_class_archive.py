"""Local brokers use the archive of classes that the set-up writes."""

from pathlib import Path

import pytest

from srm_cli.dev_clusters.broker import class_archive
from srm_cli.dev_clusters.class_archive import write_class_archive
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.errors import OperatorError

pytestmark = pytest.mark.kafka


@pytest.fixture
def jars(tmp_path: Path, kafka_jars: Path) -> Path:
    """A folder with the jars of Kafka and without an archive."""
    folder = tmp_path / "jars" / "kafka"
    folder.mkdir(parents=True)
    for jar in kafka_jars.glob("*.jar"):
        (folder / jar.name).symlink_to(jar)
    return folder


def test_a_broker_loads_its_classes_from_the_archive(jars: Path, tmp_path: Path) -> None:
    write_class_archive(jars)
    clusters = DevClusters(tmp_path / "home", jars, tie_to_parent=True)

    (cluster,) = clusters.up(["east"]).values()

    try:
        assert str(class_archive(jars)) in Path(f"/proc/{cluster.processes[0].pid}/maps").read_text()
    finally:
        clusters.stop()


def test_jars_that_cannot_run_are_named_and_leave_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "jars" / "kafka"
    folder.mkdir(parents=True)
    (folder / "broken.jar").write_text("no archive")

    with pytest.raises(OperatorError, match=r"StorageTool"):
        write_class_archive(folder)

    assert [path.name for path in tmp_path.rglob("*")] == ["jars", "kafka", "broken.jar"]
