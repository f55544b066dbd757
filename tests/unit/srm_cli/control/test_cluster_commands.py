"""`srm-control` on a cluster without a service: the cluster is in memory."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import replication.kafka.admin
import replication.kafka.copy_logs
import replication.kafka.producer
import replication.kafka.record_log
from replication.codecs.gap_records import encode_gap
from replication.codecs.mm2_records import Checkpoint, encode_checkpoint
from replication.domain.errors import AuthenticationError, AuthorizationError, RequestTimedOutError
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import CHECKPOINTS, CONTROL, GAPS, OFFSET_RUNS
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.offset_run import OffsetRun
from replication.domain.plan.slot import ClusterClient
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.copy_logs import MemoryCopyLogs
from replication.memory.records import MemoryProducer, MemoryRecordLog
from replication.ports.admin import NewTopic
from replication.ports.record_log import LogRecord
from srm_cli.control.main import srm_control
from tests.unit.srm_cli.control.cluster_cases import (
    CONFIG,
    LIST_CALLS,
    OFFSETS_OF_ALL,
    OFFSETS_TO_FILE,
    OFFSETS_WITH_SEPARATOR,
    READING_CALLS,
)
from tests.unit.srm_cli.control.group_records import checkpoints_of, runs_of
from tests.unit.srm_cli.control.played import Played, control

GAP = Gap(
    source="us-east",
    target="eu",
    topic="orders",
    topic_id=bytes(16),
    partition=0,
    cause="retention",
    from_offset=3,
    to_offset=9,
    count=6,
    detected_ms=5,
    policy="record_and_continue",
)


class Opened:
    """A cluster in memory behind the adapters, and the clients that were opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cluster = MemoryCluster("eu")
        self.clients: dict[str, ClusterClient] = {}
        ports = (
            (replication.kafka.admin, "open_admin", MemoryAdmin),
            (replication.kafka.producer, "ConfluentRecordProducer", MemoryProducer),
            (replication.kafka.record_log, "KafkaRecordLog", MemoryRecordLog),
        )
        for module, name, kind in ports:
            monkeypatch.setattr(module, name, self._opening(name, kind))
        monkeypatch.setattr(
            replication.kafka.copy_logs,
            "KafkaCopyLogs",
            lambda _source, _target, topics: MemoryCopyLogs(None, self.cluster, topics),
        )

    def write(self, topic: str, *records: tuple[bytes, bytes | None]) -> None:
        MemoryAdmin(self.cluster).create_topics([NewTopic(name=topic, partitions=1, replication_factor=1)])
        producer = MemoryProducer(self.cluster)
        for key, value in records:
            producer.send(topic, key=key, value=value)
        producer.flush()

    def _opening(self, name: str, kind: type) -> object:
        def opened(client: ClusterClient) -> object:
            self.clients[name] = client
            return kind(self.cluster)

        return opened


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    return Opened(monkeypatch)


def run(arguments: str, folder: Path) -> Result:
    config = folder / "srm.properties"
    config.write_text(CONFIG)
    given = arguments.replace("CONFIG", str(config)).replace("FILE", str(folder / "offsets.csv"))
    return CliRunner().invoke(srm_control, shlex.split(given))


@pytest.mark.parametrize("call", LIST_CALLS)
def test_lists_are_changed_and_printed_as_by_the_original(opened: Opened, tmp_path: Path, call: str) -> None:
    result = run(call, tmp_path)

    assert result.exit_code == 0, result.output
    assert result.output.endswith("Current whitelist:\nx\nCurrent blacklist:\nDone.\n")
    assert [client.bootstrap for client in opened.clients.values()] == [("e:1",)] * 3


def test_client_properties_reach_their_clients(opened: Opened, tmp_path: Path) -> None:
    run(LIST_CALLS[0], tmp_path)

    assert opened.clients["open_admin"].client == {"client.rack": "r"}
    assert opened.clients["ConfluentRecordProducer"].client == {"client.rack": "r", "linger.ms": "1"}
    assert opened.clients["KafkaRecordLog"].client == {"client.rack": "r", "fetch.min.bytes": "2"}


def test_properties_of_the_file_are_used_and_options_win(opened: Opened, tmp_path: Path) -> None:
    run("topics --source us-east --target eu --list --config CONFIG --bootstrap-servers f:1,g:1 --props a=b", tmp_path)

    client = opened.clients["open_admin"]
    assert (client.bootstrap, client.client) == (("f:1", "g:1"), {"security.protocol": "PLAINTEXT", "a": "b"})


def test_a_dry_run_and_an_invalid_pattern_write_nothing(opened: Opened, tmp_path: Path) -> None:
    start = "topics --source us-east --target eu --bootstrap-servers e:1 --add"

    dry, bad = run(f"{start} x --dry-run", tmp_path), run(f"{start} '('", tmp_path)

    assert (dry.exit_code, bad.exit_code) == (0, 1)
    assert "is not a valid regular expression" in bad.output
    assert opened.cluster.topics == {}


def test_an_invalid_pattern_of_others_is_reported_and_can_be_removed(opened: Opened, tmp_path: Path) -> None:
    opened.write(CONTROL.name("us-east"), (b"topics:allow:(", b""), (b"topics:allow:a", b""))
    start = "topics --source us-east --target eu --bootstrap-servers e:1"

    listed = run(f"{start} --list", tmp_path)
    removed = run(f"{start} --remove '(' --list", tmp_path)

    assert "warning: pattern '('" in listed.output
    assert removed.output.endswith("Current whitelist:\na\nCurrent blacklist:\nDone.\n")


@pytest.mark.parametrize("output", ["table", "json", "yaml", "csv"])
def test_lists_are_printed_in_every_format(opened: Opened, tmp_path: Path, output: str) -> None:
    start = "topics --source us-east --target eu --bootstrap-servers e:1"
    run(f"{start} --add a --add-blacklist b", tmp_path)

    result = run(f"{start} --list -o {output}", tmp_path)

    assert result.exit_code == 0
    if output == "json":
        found = json.loads(result.output)
        assert [[row["pattern"], row["offset"]] for row in (*found["allow"], *found["deny"])] == [["a", 0], ["b", 1]]
    else:
        assert "allow" in result.output
        assert "deny" in result.output


@pytest.mark.parametrize("call", READING_CALLS)
def test_offsets_and_gaps_are_printed_in_every_format(opened: Opened, tmp_path: Path, call: str) -> None:
    checkpoints = [
        encode_checkpoint(
            Checkpoint(
                group=group,
                remote=TopicPartition("us-east.orders", 0),
                upstream_offset=offset,
                downstream_offset=offset + 1,
            )
        )
        for group, offset in (("g1", 4), ("g1", 9), ("g2", 2), ("other", 1))
    ]
    opened.write(CHECKPOINTS.name("us-east"), *checkpoints, (b"?", b"?"))
    opened.write("us-east.orders", *[(b"k", b"v")] * 10)
    opened.write(GAPS.name("us-east"), encode_gap(GAP), (b"?", b"?"), (b"gone", None))

    result = run(call, tmp_path)

    assert result.exit_code == 0, result.output
    assert "warning: offset" in result.stderr
    if call.startswith("offsets") and call.endswith("csv"):
        assert result.stdout == "g1,us-east.orders,0,10\ng2,us-east.orders,0,3\n"
    elif call.endswith("json"):
        names = ("group", "offset") if call.startswith("offsets") else ("topic", "from_offset")
        wanted = [["g1", 10], ["g2", 3]] if call.startswith("offsets") else [["orders", 3]]
        assert [[row[name] for name in names] for row in json.loads(result.stdout)] == wanted
    else:
        assert "orders" in result.stdout


def test_offsets_of_one_group_have_no_group_and_go_to_a_file(opened: Opened, tmp_path: Path) -> None:
    checkpoint = Checkpoint(
        group="g1", remote=TopicPartition("us-east.orders", 2), upstream_offset=1, downstream_offset=5
    )
    opened.write(CHECKPOINTS.name("us-east"), encode_checkpoint(checkpoint))
    opened.cluster.create("us-east.orders", partitions=3)
    producer = MemoryProducer(opened.cluster)
    for _ in range(5):
        producer.send("us-east.orders", key=b"k", value=b"v", partition=2)
    producer.flush()

    result = run(OFFSETS_TO_FILE, tmp_path)
    as_json = run(f"{OFFSETS_TO_FILE} -o json", tmp_path)

    assert "1 offsets are in" in result.output
    assert as_json.exit_code == 0
    assert json.loads((tmp_path / "offsets.csv").read_text()) == [
        {"group": "g1", "topic": "us-east.orders", "partition": 2, "offset": 5}
    ]


def test_all_groups_are_exported_as_kafkas_tool_reads_them(opened: Opened, tmp_path: Path) -> None:
    places = [("zahlung, größe", 0, 7), ('"quoted"', 0, 8), ("gone", 5, 9), ("gone", 0, 3)]
    checkpoints = [
        encode_checkpoint(
            Checkpoint(
                group=group,
                remote=TopicPartition("us-east.orders", partition),
                upstream_offset=1,
                downstream_offset=offset,
            )
        )
        for group, partition, offset in places
    ]
    opened.write(CHECKPOINTS.name("us-east"), *checkpoints, (checkpoints[3][0], None))
    opened.write("us-east.orders", *[(b"k", b"v")] * 8)

    result = run(OFFSETS_OF_ALL, tmp_path)

    assert result.exit_code == 0, result.output
    assert result.stdout == '"""quoted""",us-east.orders,0,8\n"zahlung, größe",us-east.orders,0,7\n'
    assert "1 partition(s) are not exported" in result.stderr
    assert "us-east.orders-5" in result.stderr


def test_exported_offsets_are_inside_the_remote_log(opened: Opened, tmp_path: Path) -> None:
    opened.write(CHECKPOINTS.name("us-east"), *checkpoints_of(low=1, inside=4, end=5, beyond=6))
    opened.write("us-east.orders", *[(b"k", b"v")] * 5)
    opened.cluster.topics["us-east.orders"].partitions[0].delete_before(3)

    result = run(OFFSETS_OF_ALL, tmp_path)

    assert result.stdout == "end,us-east.orders,0,5\ninside,us-east.orders,0,4\nlow,us-east.orders,0,3\n"
    assert "the remote log ends before them: it is not the log of the copies: beyond us-east.orders-0" in result.stderr
    assert "raised to the start of the remote log: low us-east.orders-0" in result.stderr


def test_exported_offsets_are_those_that_the_flow_tells(opened: Opened, tmp_path: Path) -> None:
    opened.write(CHECKPOINTS.name("us-east"), *checkpoints_of(early=0, behind=4))
    opened.write("us-east.orders", *[(b"k", b"v")] * 5)
    opened.write(OFFSET_RUNS.name("us-east"), runs_of(OffsetRun(0, 0, 5)))

    result = run(OFFSETS_OF_ALL, tmp_path)

    assert result.stdout == "behind,us-east.orders,0,1\nearly,us-east.orders,0,1\n"
    assert "lowered to the place that the flow tells: records before them are unread: behind " in result.stderr


def test_offsets_of_a_log_that_was_created_again_are_not_exported(opened: Opened, tmp_path: Path) -> None:
    """The flow copied 90 records, and the remote topic of now has 5."""
    opened.write(CHECKPOINTS.name("us-east"), *checkpoints_of(app=1))
    opened.write("us-east.orders", *[(b"k", b"v")] * 5)
    opened.write(OFFSET_RUNS.name("us-east"), runs_of(OffsetRun(0, 0, 90)))

    result = run(OFFSETS_OF_ALL, tmp_path)

    assert result.stdout == ""
    assert "1 offset(s) are not exported (the remote log is shorter than what was copied" in result.stderr
    assert "app us-east.orders-0" in result.stderr


def test_checkpoints_are_exported_as_they_are_while_the_flow_cannot_be_read(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AuthorizationError("no READ on the runs")

    opened.write(CHECKPOINTS.name("us-east"), *checkpoints_of(app=1))
    opened.write("us-east.orders", (b"k", b"v"))
    monkeypatch.setattr(MemoryCopyLogs, "read_into", refuse)

    result = run(OFFSETS_OF_ALL, tmp_path)

    assert result.stdout == "app,us-east.orders,0,1\n"
    assert "exported as they are, the flow cannot be read: no READ on the runs" in result.stderr


def test_checkpoints_of_aborted_transactions_are_not_exported(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    read = MemoryRecordLog.read_to_end

    def noted(log: MemoryRecordLog, topic: str, **more: Any) -> Iterator[LogRecord]:
        asked.append((topic, more.get("isolation")))
        return read(log, topic, **more)

    opened.write(CHECKPOINTS.name("us-east"), *checkpoints_of(app=1))
    opened.write("us-east.orders", (b"k", b"v"))
    monkeypatch.setattr(MemoryRecordLog, "read_to_end", noted)

    assert run(OFFSETS_OF_ALL, tmp_path).exit_code == 0
    assert {isolation for topic, isolation in asked if topic == CHECKPOINTS.name("us-east")} == {"read_committed"}


def test_checkpoints_are_found_by_another_separator(opened: Opened, tmp_path: Path) -> None:
    opened.write(CHECKPOINTS.name("us-east", "_"), *checkpoints_of(app=1))
    opened.write("us-east.orders", (b"k", b"v"))

    result = run(OFFSETS_WITH_SEPARATOR, tmp_path)

    assert result.stdout == "app,us-east.orders,0,1\n"


@pytest.mark.parametrize("separator", ["_", None])
def test_the_service_tells_the_separator_of_a_flow(
    opened: Opened, service: Played, tmp_path: Path, separator: str | None
) -> None:
    opened.write(CHECKPOINTS.name("us-east", separator or "."), *checkpoints_of(app=1))
    opened.write("us-east.orders", (b"k", b"v"))
    service.answers["GET", "/api/v2/clusters/eu"] = {"bootstrap": ["e:1"]}
    known = {"settings": {"policy": {"kind": "default", "separator": separator, "template": None}}}
    refused = {"status": 404, "detail": "no such flow"}
    service.answers["GET", "/api/v2/replications/us-east/eu"] = refused if separator is None else known

    result = control(service, tmp_path, *shlex.split("offsets --source us-east --target eu --export --all"))

    assert result.stdout == "app,us-east.orders,0,1\n"
    assert ("taken as .: " in result.stderr) == (separator is None)


def test_all_groups_of_a_flow_without_checkpoints_are_not_found(opened: Opened, tmp_path: Path) -> None:
    result = run(OFFSETS_OF_ALL, tmp_path)

    assert (result.exit_code, "has no offsets of any group" in result.output) == (3, True)


def test_a_group_without_offsets_is_not_found(opened: Opened, tmp_path: Path) -> None:
    result = run("offsets --source us-east --target eu --export --group g9 --bootstrap-servers e:1", tmp_path)

    assert result.exit_code == 3
    assert "no offsets of g9" in result.output


@pytest.mark.parametrize(
    ("call", "code", "text"),
    [
        ("topics --source us-east --target x --list --config CONFIG", 3, "has no cluster x; it has eu, us-east"),
        ("topics --source us-east --target eu --list --config /nowhere", 1, "does not exist"),
        ("offsets --source a --target eu --group g", 2, "use --export"),
        ("offsets --target eu --group g --export", 2, "needs --source and --target"),
        ("offsets --source a --target eu --export", 2, "name the groups with --group"),
        ("offsets --source a --target eu --export --all --group g", 2, "take all of them with --all"),
        ("offsets --source a --target eu --export --all --to FILE -o yaml", 2, "--to writes csv or json"),
        ("gaps --source a --target eu --bootstrap-servers ,", 2, "set --bootstrap-servers"),
        ("gaps --target eu --bootstrap-servers e:1", 2, "set --source and --target"),
        ("gaps --source a --target eu --bootstrap-servers e:1 --last 3", 2, "--last: filters of the service"),
        ("offsets --source a --target eu --export --group g --bootstrap-servers e:1 --to /nowhere/x", 3, "no offsets"),
    ],
)
def test_what_is_wrong_is_named(opened: Opened, tmp_path: Path, call: str, code: int, text: str) -> None:
    result = run(call, tmp_path)

    assert result.exit_code == code
    assert text in result.output


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (AuthenticationError("no", cluster="eu"), 4),
        (AuthorizationError("no", cluster="eu"), 4),
        (RequestTimedOutError("no", cluster="eu"), 6),
    ],
)
def test_the_error_of_a_cluster_has_its_exit_code(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, code: int
) -> None:
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr(MemoryAdmin, "describe_topics", refuse)

    assert run(LIST_CALLS[0], tmp_path).exit_code == code


def test_a_dead_cluster_is_told_and_changes_nothing(opened: Opened, tmp_path: Path) -> None:
    opened.cluster.is_up = False

    result = run(LIST_CALLS[0], tmp_path)

    assert result.exit_code == 5
    assert "added" not in result.output
