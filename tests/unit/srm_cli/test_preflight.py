"""`srm preflight`: what it prints and how it ends."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from replication.domain.errors import ConfigurationError
from replication.domain.plan.slot import ClusterClient
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.groups import MemoryGroupAdmin
from srm_cli.commands import preflight
from srm_cli.main import srm

FILE = """
clusters = east, west
east.bootstrap.servers = e:1
west.bootstrap.servers = w:1
east->west.enabled = true
"""
Clusters = dict[str, MemoryCluster]


@pytest.fixture
def clusters(monkeypatch: pytest.MonkeyPatch) -> Clusters:
    made = {alias: MemoryCluster(alias) for alias in ("east", "west")}

    def open_admin(client: ClusterClient) -> MemoryAdmin:
        return MemoryAdmin(made[client.alias])

    def open_groups(client: ClusterClient) -> MemoryGroupAdmin:
        return MemoryGroupAdmin(made[client.alias])

    monkeypatch.setattr(preflight, "open_admin", open_admin)
    monkeypatch.setattr(preflight, "WireGroupAdmin", open_groups)
    return made


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "mm2.properties"
    path.write_text(FILE)
    return path


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(srm, ["preflight", *arguments])
    return result.exit_code, result.output


def test_a_flow_without_findings_is_ready(clusters: Clusters, config: Path) -> None:
    clusters["east"].create("t")

    assert run("--config", str(config)) == (0, "east->west: ready\n")


def test_a_wrong_schedule_of_audits_is_an_error_with_its_line(clusters: Clusters, config: Path) -> None:
    clusters["east"].create("t")
    config.write_text(f"{FILE}east->west.srm.audit.schedule = often\n")

    code, output = run("--config", str(config))

    assert code == 1
    assert "line 6: east->west.srm.audit.schedule: " in output
    assert "not 'often'" in output
    assert "ready" not in output


def test_warnings_are_printed_and_are_no_failure(clusters: Clusters, config: Path) -> None:
    clusters["east"].create("t")
    clusters["west"].create("east.t", partitions=2)

    code, output = run("--config", str(config))

    assert code == 0
    assert "errors: 0, warnings: 1" in output
    assert "remote_topic_wider" in output


def test_an_error_fails_and_says_what_to_do(clusters: Clusters, config: Path) -> None:
    clusters["west"].group("east-mm2").members = 1

    code, output = run("--config", str(config), "--flow", "east -> west")

    assert code == 1
    assert "srm.original.driver.check.enabled=false" in output


def test_a_dead_cluster_is_an_error_of_its_flow(clusters: Clusters, config: Path) -> None:
    clusters["east"].is_up = False

    code, output = run("--config", str(config))

    assert code == 1
    assert "cluster east" in output


def test_both_unreachable_clusters_are_named(clusters: Clusters, config: Path) -> None:
    clusters["east"].is_up = clusters["west"].is_up = False

    code, output = run("--config", str(config))

    assert code == 1
    assert "cluster east" in output
    assert "cluster west" in output
    assert "errors: 2" in output


def test_both_clusters_that_cannot_be_opened_are_named(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_admin(client: ClusterClient) -> MemoryAdmin:
        raise ConfigurationError(f"cluster {client.alias}: the keystore cannot be read")

    monkeypatch.setattr(preflight, "open_admin", open_admin)

    code, output = run("--config", str(config))

    assert code == 1
    assert "cluster east" in output
    assert "cluster west" in output


@pytest.mark.parametrize(
    ("lines", "part"),
    [
        ("east->west.topics = invoices", "no topic of east matches topics=invoices"),
        ("east->west.topics =", "no topic of east is allowed"),
    ],
)
def test_an_enabled_flow_without_a_topic_is_not_ready(clusters: Clusters, config: Path, lines: str, part: str) -> None:
    clusters["east"].create("t")
    clusters["east"].create("heartbeats")
    config.write_text(f"{FILE}{lines}\n")

    code, output = run("--config", str(config))

    assert code == 0
    assert part in output
    assert "ready" not in output


def test_nothing_is_created_by_looking(clusters: Clusters, config: Path) -> None:
    clusters["east"].create("t")

    run("--config", str(config))

    assert set(clusters["east"].topics) == {"t"}
    assert clusters["west"].topics == {}


@pytest.mark.parametrize(
    ("arguments", "part"),
    [(("--flow", "a->b"), "the file has no flow 'a->b'; it has east->west"), (("--dialect", "x"), "'x' is not one of")],
)
def test_nonsense_is_refused_in_words(clusters: Clusters, config: Path, arguments: tuple[str, str], part: str) -> None:
    code, output = run("--config", str(config), *arguments)

    assert code != 0
    assert part in output
