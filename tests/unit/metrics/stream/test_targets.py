import json
from pathlib import Path

import pytest

from metrics.errors import MetricsConfigError
from metrics.stream.sources import kafka_options, starting_offsets
from metrics.stream.targets import TargetsFile, read_clusters
from replication.domain.plan.slot import ClusterClient


def write(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_bootstrap_servers_may_be_a_list_or_one_text(tmp_path: Path) -> None:
    entries = [
        {"target": "b", "bootstrap": "one:1, two:2"},
        {"target": "c", "bootstrap": ["three:3"], "client": {"security.protocol": "SSL"}},
    ]
    assert read_clusters(write(tmp_path / "targets.json", entries)).targets == (
        ClusterClient(alias="b", bootstrap=("one:1", "two:2")),
        ClusterClient(alias="c", bootstrap=("three:3",), client={"security.protocol": "SSL"}),
    )


def test_only_the_named_targets_are_taken(tmp_path: Path) -> None:
    entries = [{"target": alias, "bootstrap": "one:1"} for alias in "bcd"]

    found = read_clusters(write(tmp_path / "targets.json", entries), ["c"])

    assert found.counted == ("c",)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "is no JSON"),
        ({"target": "b"}, "must be a list"),
        (["b"], "entry 0: expected an object"),
        ([{"bootstrap": "one:1"}], "`target` must be"),
        ([{"target": "b", "bootstrap": []}], "`bootstrap` of b"),
        ([{"target": "b", "bootstrap": "one:1", "client": 3}], "`client` of b"),
        ([{"target": "b", "bootstrap": "one:1"}] * 2, "names a target twice"),
    ],
)
def test_a_broken_file_is_answered_with_what_to_repair(tmp_path: Path, content: object, complaint: str) -> None:
    with pytest.raises(MetricsConfigError, match=complaint):
        read_clusters(write(tmp_path / "targets.json", content))


@pytest.mark.parametrize("content", [[], [{"target": "a", "bootstrap": "one:1", "counted": False}]])
def test_a_file_without_targets_waits_for_the_first_one(tmp_path: Path, content: object) -> None:
    assert read_clusters(write(tmp_path / "targets.json", content)).targets == ()


def test_a_missing_file_and_an_unknown_alias_are_named(tmp_path: Path) -> None:
    with pytest.raises(MetricsConfigError, match=r"none\.json"):
        read_clusters(tmp_path / "none.json")
    known = write(tmp_path / "targets.json", [{"target": "b", "bootstrap": "one:1"}])
    with pytest.raises(MetricsConfigError, match=r"no target x .* it has b"):
        read_clusters(known, ["x"])


def test_a_source_that_is_no_target_is_known_to_jobs_and_not_counted(tmp_path: Path) -> None:
    entries = [{"target": "a", "bootstrap": "one:1", "counted": False}, {"target": "b", "bootstrap": "two:2"}]

    found = read_clusters(write(tmp_path / "targets.json", entries))

    assert (found.counted, sorted(found.known)) == (("b",), ["a", "b"])


def test_a_changed_file_is_read_again_and_a_broken_one_is_said_once(tmp_path: Path) -> None:
    path = write(tmp_path / "targets.json", [{"target": "b", "bootstrap": "one:1"}])
    file = TargetsFile(path)
    first, second = file.changed(), file.changed()
    write(path, "{")
    with pytest.raises(MetricsConfigError):
        file.changed()

    assert first is not None
    assert first.counted == ("b",)
    assert second is None
    assert file.changed() is None


def test_spark_gets_the_client_settings_but_not_those_it_refuses() -> None:
    client = {"security.protocol": "SASL_SSL", "auto.offset.reset": "latest", "key.deserializer": "x"}
    options = kafka_options(ClusterClient(alias="b", bootstrap=("one:1", "two:2"), client=client))

    assert options["kafka.bootstrap.servers"] == "one:1,two:2"
    assert options["kafka.security.protocol"] == "SASL_SSL"
    assert "kafka.auto.offset.reset" not in options
    assert "kafka.key.deserializer" not in options
    assert options["kafka.isolation.level"] == "read_committed"


def test_starting_offsets_name_every_partition() -> None:
    assert json.loads(starting_offsets({("x", 0): 5, ("x", 1): 0, ("y", 0): 7})) == {
        "x": {"0": 5, "1": 0},
        "y": {"0": 7},
    }
