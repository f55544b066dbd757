"""`srm-control` against the real service: lists, flows, documents and exit codes."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import redis
from click.testing import CliRunner, Result
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from pytest_django.live_server_helper import LiveServer

from replication.domain.desired.desired_document import desired_from_json
from replication.domain.plan.slot import ClusterClient
from replication.lists.control_topic import ControlTopics
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryProducer, MemoryRecordLog
from srm_cli.commands.demo import next_steps
from srm_cli.control.main import srm_control
from srm_service.core.auth.accounts import roles_ensure
from srm_service.core.kept import forget_kept
from srm_service.lists import services
from tests.component.service.conftest import PASSWORD, configured, flow_definition
from tests.support.configuration import config_import

pytestmark = [pytest.mark.django_db(databases=["default", "metrics"], transaction=True), pytest.mark.redis]
_TOPICS = ("topics", "--source", "us-east", "--target", "eu-central")
_OF_ONE_REVISION = ("revision", "published_ms", "sha256", "signature")
Tool = Callable[..., Result]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> MemoryCluster:
    """The target cluster of all flows."""
    made = MemoryCluster("eu-central")

    def opened(_: ClusterClient) -> ControlTopics:
        return ControlTopics(MemoryAdmin(made), MemoryRecordLog(made), MemoryProducer(made))

    monkeypatch.setattr(services, "control_topics", opened)
    return made


@pytest.fixture
def tool(
    live_server: LiveServer,
    live_redis: redis.Redis,
    cluster: MemoryCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Tool:
    """Runs `srm-control` as a person of a role; there is one flow, which its properties allow nothing."""
    monkeypatch.setenv("SRM_CONTEXTS", str(tmp_path / "contexts.json"))
    config_import(configured(flow_definition("us-east", "eu-central", topics_allow=())))
    roles_ensure()
    password = tmp_path / "password"
    password.write_text(PASSWORD)
    for role in ("viewer", "operator"):
        User.objects.create_user(role, password=PASSWORD).groups.add(Group.objects.get(name=role))

    def run(*arguments: str, role: str = "operator") -> Result:
        access = ("--url", live_server.url, "--user", role, "--password-file", str(password))
        return CliRunner().invoke(srm_control, [*access, *arguments])

    return run


def test_a_list_is_changed_and_printed_as_by_the_original(tool: Tool, live_redis: redis.Redis) -> None:
    changed = tool(*_TOPICS, "--add", "orders.*,payments", "--add-blacklist", "orders-tmp")
    listed = tool(*_TOPICS, "--list")

    assert (changed.exit_code, listed.exit_code) == (0, 0), changed.output
    assert listed.output == ("Current whitelist:\norders.*\npayments\nCurrent blacklist:\norders-tmp\nDone.\n")
    document, _ = desired_from_json(str(live_redis.get("srm:desired:eu-central")))
    assert document.flows[0].topics.allow == ("orders.*", "payments")
    assert document.control_offset == 2


def test_removing_restores_the_lists(tool: Tool) -> None:
    tool(*_TOPICS, "--add", "a", "--add-denied", "b")

    removed = tool(*_TOPICS, "--remove", "a", "--remove-denied", "b", "--list")

    assert removed.output.endswith("Current whitelist:\nCurrent blacklist:\nDone.\n")


@pytest.mark.parametrize(
    ("arguments", "role", "code", "text"),
    [
        ((*_TOPICS, "--add", "("), "operator", 1, "is not a valid regular expression"),
        ((*_TOPICS, "--add", "a"), "viewer", 4, "operator role"),
        (("topics", "--source", "x", "--target", "y", "--list"), "operator", 3, "There is no replication x->y"),
        (("flows", "pause", "x->y"), "operator", 3, "There is no replication"),
        (("clusters", "show", "nowhere"), "viewer", 3, "There is no cluster nowhere"),
        (("get", "nothing"), "viewer", 3, "There is no resource"),
    ],
)
def test_the_exit_code_tells_what_the_service_refuses(
    tool: Tool, arguments: tuple[str, ...], role: str, code: int, text: str
) -> None:
    result = tool(*arguments, role=role)

    assert result.exit_code == code
    assert text in result.output


def test_a_dead_cluster_is_told_as_a_failure_of_the_service(tool: Tool, cluster: MemoryCluster) -> None:
    cluster.is_up = False

    result = tool(*_TOPICS, "--add", "a")

    assert result.exit_code == 5
    assert "are not changed" in result.output


def test_groups_flows_and_clusters_are_read_in_every_format(tool: Tool) -> None:
    tool("groups", "--source", "us-east", "--target", "eu-central", "--add", ".*")
    for output in ("table", "json", "yaml", "csv"):
        for arguments in (
            ("groups", "--source", "us-east", "--target", "eu-central", "--list"),
            ("flows", "list"),
            ("flows", "show", "us-east->eu-central"),
            ("clusters", "list"),
            ("topics", "holds", "us-east->eu-central"),
            ("topics", "resets", "us-east->eu-central"),
            ("drivers", "list"),
            ("get", "me"),
        ):
            result = tool(*arguments, "-o", output, role="viewer")
            assert result.exit_code == 0, (arguments, result.output)
            assert result.output.strip() or arguments[0] in ("drivers", "topics"), arguments


def test_a_pause_and_its_dry_run_reach_the_flow(tool: Tool) -> None:
    dry = tool("flows", "pause", "us-east->eu-central", "--dry-run")
    paused = tool("flows", "pause", "us-east->eu-central", "--reason", "upgrade")

    assert "With this order, " in dry.output
    assert "stops copying" in paused.output
    assert tool("flows", "resume", "us-east->eu-central").exit_code == 0


def test_the_lists_are_a_part_of_the_exported_document(tool: Tool) -> None:
    tool(*_TOPICS, "--add", "a")

    document = tool("export").output

    assert "us-east->eu-central:\n    topics:\n      allow:\n      - a\n" in document


def test_the_steps_of_an_empty_service_make_a_flow_and_a_document_restores_it(
    live_server: LiveServer, live_redis: redis.Redis, cluster: MemoryCluster, tmp_path: Path
) -> None:
    password, document = tmp_path / "password", tmp_path / "all.yaml"
    password.write_text(PASSWORD)
    steps = [shlex.split(line)[1:] for line in _printed_steps(live_server.url, password)]
    access = steps[0][: steps[0].index("clusters")]

    def run(*words: str) -> str:
        result = CliRunner().invoke(srm_control, [*access, *words])
        assert result.exit_code == 0, result.output
        return result.output

    _add_admin()
    for step in steps:
        if step[len(access) :][:2] != ["clusters", "test"]:  # there are no brokers
            run(*step[len(access) :])
    run(*_TOPICS, "--add-denied", "orders-tmp.*")
    run("flows", "change", "us-east->eu-central", "--set", "tasks.max=2", "--owner", "ann", "--label", "team=pay")
    run("config", "set", "connectors.sync.topic.acls.enabled=false")
    document.write_text(run("export"))
    before = _desired(live_redis)
    call_command("flush", interactive=False, verbosity=0)
    forget_kept()
    _add_admin()
    empty = run("flows", "list", "-o", "json")
    run("apply", "-f", str(document))

    (flow,) = before["flows"]
    assert flow["topics"]["allow"] == ["orders.*"]
    assert json.loads(empty) == []
    assert run("diff", "-f", str(document)) == ""
    assert run("export") == document.read_text()
    assert _desired(live_redis) == before


def _printed_steps(url: str, password: Path) -> tuple[str, ...]:
    """Return the commands that `srm demo --empty` prints."""
    plan = SimpleNamespace(url=url, folder=SimpleNamespace(admin_password_file=password))
    clusters = {alias: SimpleNamespace(bootstrap="127.0.0.1:1") for alias in ("us-east", "eu-central")}
    return next_steps(cast("Any", plan), cast("Any", clusters))[1:]


def _add_admin() -> None:
    roles_ensure()
    User.objects.create_user("admin", password=PASSWORD).groups.add(Group.objects.get(name="admin"))


def _desired(live_redis: redis.Redis) -> dict[str, Any]:
    """Return the document in Redis without the fields that differ in every revision."""
    document = json.loads(str(live_redis.get("srm:desired:eu-central")))
    return {name: value for name, value in document.items() if name not in _OF_ONE_REVISION}
