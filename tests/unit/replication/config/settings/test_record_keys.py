"""Compression, re-batching, loops and transforms, as a property file says them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from replication.config import ConfigError, ReplicationConfig, load
from replication.domain.settings.record_settings import read_record_settings

Read = Callable[[str], ReplicationConfig]
TWO = """
clusters = east, west
east.bootstrap.servers = e1:9092
west.bootstrap.servers = w1:9092
east->west.enabled = true
"""


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def reader(text: str) -> ReplicationConfig:
        path = tmp_path / "mm2.properties"
        path.write_text(TWO + text)
        return load(path)

    return reader


def source_settings(config: ReplicationConfig) -> dict[str, str]:
    return dict(next(flow for flow in config.flows if flow.source == "east").connectors["source"])


def error_of(read: Read, text: str) -> tuple[str, str]:
    with pytest.raises(ConfigError) as caught:
        read(text)
    (finding,) = caught.value.findings
    return finding.key, finding.message


@pytest.mark.parametrize(
    ("lines", "codec"),
    [
        pytest.param("", None, id="nothing said: each batch keeps its codec"),
        pytest.param("east->west.srm.compression = keep", None, id="kept on purpose"),
        pytest.param("srm.compression = zstd", "zstd", id="ours, globally"),
        pytest.param("east->west.producer.override.compression.type = lz4", "lz4", id="MirrorMaker, on the flow"),
        pytest.param("west.producer.compression.type = gzip", "gzip", id="MirrorMaker, on the target"),
        pytest.param("producer.override.compression.type = snappy", "snappy", id="MirrorMaker, globally"),
        pytest.param("east.producer.compression.type = gzip", None, id="of the other cluster"),
        pytest.param(
            "west.producer.compression.type = gzip\neast->west.producer.compression.type = none",
            "none",
            id="the flow beats the cluster",
        ),
        pytest.param(
            "east->west.producer.compression.type = gzip\neast->west.srm.compression = keep",
            None,
            id="ours beats theirs",
        ),
    ],
)
def test_the_codec_is_kept_unless_somebody_wrote_one_down(read: Read, lines: str, codec: str | None) -> None:
    settings = source_settings(read(lines))

    assert read_record_settings(settings, identity=False).compression == codec


@pytest.mark.parametrize(
    ("line", "key", "text"),
    [
        ("srm.compression = brotli", "srm.compression", "one of keep, none, gzip"),
        ("west.producer.compression.type = zip", "west.producer.compression.type", "one of keep, none, gzip"),
        ("srm.rebatching = maybe", "srm.rebatching", "adaptive, always, off"),
        ("srm.linger.ms = -3", "srm.linger.ms", "from 0 to 1000"),
        ("srm.linger.ms = soon", "srm.linger.ms", "adaptive or a number"),
        ("srm.loop.protection = yes", "srm.loop.protection", "auto, producer_ids, headers, off"),
        ("copy.source.offset.in.header.enabled = ja", "copy.source.offset.in.header.enabled", "true or false"),
        ("transforms = a", "transforms", "transforms.a.type is missing"),
        ("transforms = a, a\ntransforms.a.type = filter", "transforms", "named twice"),
        ("transforms.b.type = filter", "transforms.b.type", "belongs to no transform"),
    ],
)
def test_a_slip_is_an_error_on_its_line(read: Read, line: str, key: str, text: str) -> None:
    found_key, message = error_of(read, line)

    assert found_key == key
    assert text in message


@pytest.mark.parametrize(
    ("java_class", "nearest"),
    [
        ("org.apache.kafka.connect.transforms.MaskField$Value", "the nearest equivalent is mask_field"),
        ("org.apache.kafka.connect.transforms.ReplaceField$Key", "the nearest equivalent is drop_field"),
        ("org.apache.kafka.connect.transforms.RegexRouter", "srm.replication.policy.template"),
        ("com.acme.Uppercase", "srm.transforms"),
    ],
)
def test_java_classes_are_refused_with_the_nearest_equivalent(read: Read, java_class: str, nearest: str) -> None:
    _key, message = error_of(read, f"transforms = a\ntransforms.a.type = {java_class}")

    assert nearest in message


def test_transforms_of_the_flow_beat_global_ones_key_by_key(read: Read) -> None:
    config = read(
        "transforms = mask\ntransforms.mask.type = mask_field\ntransforms.mask.fields = card\n"
        "east->west.transforms.mask.fields = card, pin\n"
    )

    (transform,) = read_record_settings(source_settings(config), identity=False).transforms
    assert transform.options == (("fields", "card, pin"),)
    assert not [finding for finding in config.findings if finding.key.startswith("transforms")]


def test_a_type_without_a_dot_may_be_a_plug_in_of_the_drivers(read: Read) -> None:
    (transform,) = read_record_settings(
        source_settings(read("transforms = a\ntransforms.a.type = our_own\n")), identity=False
    ).transforms

    assert transform.type == "our_own"


@pytest.mark.parametrize(
    ("choice", "identity", "expected"),
    [
        ("auto", True, "producer_ids"),
        ("auto", False, "off"),
        ("headers", False, "headers"),
        ("off", True, "off"),
    ],
)
def test_loops_are_watched_for_where_names_do_not_tell(choice: str, identity: bool, expected: str) -> None:
    settings = read_record_settings({"srm.loop.protection": choice}, identity=identity)

    assert settings.loop_protection == expected
