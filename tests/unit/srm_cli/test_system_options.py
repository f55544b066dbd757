"""Options of the commands that start processes: each changes what would be started."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from cryptography.fernet import Fernet

from srm_cli.commands import demo, doctor, driver, metrics, service, up
from srm_cli.dev_clusters.broker import BrokerNode
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.machine.home import HomeFolder
from srm_cli.machine.ports import free_port
from srm_cli.main import srm
from srm_cli.supervisor.spec import ProcessSpec
from srm_cli.supervisor.supervisor import Supervisor
from srm_cli.system.processes import SystemPlan, system_specs

FILE = """
clusters = east, west
east.bootstrap.servers = 127.0.0.1:9
west.bootstrap.servers = 127.0.0.1:9
east->west.enabled = true
"""
KEYS = ("SRM_REDIS_URL", "SRM_TRANSPORT_KEYS", "SRM_SECRET_KEYS", "SRM_DJANGO_SECRET_KEY")


def printed_processes(
    folder: HomeFolder, specs: tuple[ProcessSpec, ...], plan: SystemPlan, *, hints: tuple[str, ...], **_: Any
) -> None:
    click.echo(f"{folder.path} {plan.url}")
    for spec in specs:
        click.echo(f"{spec.name}: {shlex.join(spec.command)}")
    click.echo("\n".join(hints))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty state folder. Nothing is started: commands print the processes that would run."""
    monkeypatch.setenv("SRM_HOME", str(tmp_path / "home"))
    for name in ("SRM_HOST", "SRM_PORT", "SRM_LOG_LEVEL", "SRM_DRIVER_ID", "DJANGO_SETTINGS_MODULE"):
        monkeypatch.delenv(name, raising=False)
    for name in KEYS:
        monkeypatch.setenv(name, "redis://127.0.0.1:1/0" if name == "SRM_REDIS_URL" else Fernet.generate_key().decode())

    def replace_process(command: tuple[str, ...], env: Mapping[str, str]) -> None:
        click.echo(shlex.join(command))
        click.echo("\n".join(f"{name}={value}" for name, value in env.items() if name not in KEYS))
        raise SystemExit(0)

    def run_system(
        plan: SystemPlan, extra: tuple[ProcessSpec, ...], *, show_password: bool, hints: tuple[str, ...] = ()
    ) -> None:
        click.echo(f"{plan.url} dialect={plan.dialect} config={plan.config}")
        for spec in (*extra, *system_specs(plan)):
            click.echo(f"{spec.name}: {shlex.join(spec.command)}")
        click.echo("\n".join(hints))

    async def run(self: Supervisor) -> int:
        for spec in self.specs:
            click.echo(f"{spec.name}: {shlex.join(spec.command)}")
            click.echo("\n".join(f"{spec.name} {name}={value}" for name, value in spec.env.items() if name not in KEYS))
        return 0

    monkeypatch.setattr(Supervisor, "run", run)
    monkeypatch.setattr(demo, "run_processes", printed_processes)
    monkeypatch.setattr(demo, "has_spark", lambda folder: True)
    for module in (driver, service, metrics):
        monkeypatch.setattr(module, "replace_process", replace_process)
    for starter in (up, demo):
        monkeypatch.setattr(starter, "run_system", run_system)
        monkeypatch.setattr(starter, "with_spark_if_possible", lambda plan: plan)
    return tmp_path / "home"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "mm2.properties"
    path.write_text(FILE)
    return path


def output_of(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(srm, words)
    assert result.exit_code == code, result.output
    return result.output


def started(output: str) -> dict[str, str]:
    """Return the command lines by the names of the processes."""
    return dict(line.split(": ", 1) for line in output.splitlines() if ": " in line)


def test_up_starts_the_file_in_its_dialect_at_an_address(config: Path) -> None:
    port = str(free_port())
    words = ("--config", str(config), "--dialect", "srm", "--host", "127.0.0.2", "--port", port)

    output = output_of("up", *words, "--log-level", "DEBUG")

    assert f"http://127.0.0.2:{port} dialect=srm config={config}" in output
    processes = started(output)
    assert {"service", "driver-control", "driver-data", "metrics"} <= processes.keys()
    assert f"--host 127.0.0.2 --port {port}" in processes["service"]
    assert "DEBUG" in processes["driver-data"]


def test_up_runs_without_metrics_if_told_so(config: Path) -> None:
    output = output_of("up", "--config", str(config), "--no-metrics", "--port", str(free_port()))

    assert "metrics" not in started(output)


def test_up_starts_several_drivers_with_several_processes() -> None:
    output = output_of("up", "--drivers", "2", "--processes", "3", "--port", str(free_port()))

    assert len([name for name in started(output) if "driver" in name]) == 2 * (1 + 3)


@pytest.fixture
def local_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Local clusters that run already."""

    def prepare(self: Any, alias: str) -> LocalCluster:
        node = BrokerNode(node_id=0, port=9, controller_port=9, folder=Path("/nowhere"))
        return LocalCluster(alias=alias, uuid=alias, nodes=(node,))

    monkeypatch.setattr(DevClusters, "prepare", prepare)
    monkeypatch.setattr(demo, "answers", lambda cluster: True)
    monkeypatch.setattr(demo, "ensure_jars", lambda *_: Path("/jars"))


def test_a_demo_has_flows_and_traffic(local_clusters: None, home: Path) -> None:
    port = str(free_port())

    output = output_of("demo", "--host", "127.0.0.2", "--port", port)

    assert f"http://127.0.0.2:{port} dialect=mm2 config={home}/demo/mm2.properties" in output
    assert "us-east=127.0.0.1:9" in started(output)["traffic"]


def test_an_empty_demo_prints_the_commands_that_add_a_flow(local_clusters: None, home: Path) -> None:
    output = output_of("demo", "--empty", "--no-traffic", "--port", str(free_port()))

    assert "config=None" in output
    assert "traffic" not in started(output)
    assert f"--password-file {home}/admin-password clusters add us-east --bootstrap-servers 127.0.0.1:9" in output
    assert "flows create 'us-east->eu-central'" in output


def test_a_demo_of_three_services_has_a_service_and_a_driver_for_each_target(
    local_clusters: None, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SRM_REDIS_URL")
    port = free_port()

    output = output_of("demo", "--three-services", "--no-metrics", "--port", str(port))

    assert f"{home} http://localhost:{port}" in output
    processes = started(output)
    assert {name for name in processes if name.endswith(("-service", "-driver-data"))} == {
        f"{target}-{process}"
        for target in ("eu-central", "us-east", "analytics")
        for process in ("service", "driver-data")
    }
    assert f"--port {port + 2}" in processes["analytics-service"]
    assert f"us-east: http://localhost:{port + 1}, password in {home}/three-services/us-east/" in output
    assert not [name for name in processes if "metrics" in name]


def test_a_demo_of_three_services_shares_no_server(local_clusters: None) -> None:
    words = ("demo", "--three-services", "--port", str(free_port()))

    assert "unset SRM_REDIS_URL: each of the three services has its own" in output_of(*words, code=1)
    assert "choose one" in output_of("demo", "--three-services", "--empty", code=2)


@pytest.mark.parametrize("words", [("service",), ("up",)])
def test_web_workers_share_a_port(words: tuple[str, ...]) -> None:
    port = str(free_port())

    output = output_of(*words, "--web-workers", "3", "--port", port)

    assert f"--port {port} " in output
    assert "--workers 3 " in output


def test_a_driver_has_a_role_a_name_and_targets() -> None:
    output = output_of("driver", "--role", "data", "--id", "berlin-1", "--targets", "eu-central,analytics")

    assert "--hostname berlin-1-data@%h" in output
    assert {
        "SRM_DRIVER_ID=berlin-1",
        "SRM_DRIVER_PARENT=berlin-1",
        "SRM_DRIVER_ROLE=data",
        "SRM_DRIVER_TARGETS=eu-central,analytics",
    } <= set(output.splitlines())


def test_a_driver_without_a_role_has_several_processes_with_capacity_labels_and_ports() -> None:
    sizes = ("--processes", "2", "--capacity", "50", "--label", "region=eu", "--label", "rack=a", "--http-port", "9404")

    output = output_of("driver", "--id", "berlin", *sizes)

    assert started(output).keys() == {"control", "data", "data-2"}
    assert {
        "data-2 SRM_DRIVER_ID=berlin-2",
        "data-2 SRM_DRIVER_PARENT=berlin",
        "data-2 SRM_DRIVER_CAPACITY=50",
        "data-2 SRM_DRIVER_LABELS=rack=a,region=eu",
        "data-2 SRM_DRIVER_HTTP_PORT=9406",
        "data-2 SRM_DRIVER_TARGETS=*",
    } <= set(output.splitlines())


def test_a_driver_serves_the_targets_of_its_file(config: Path) -> None:
    config.write_text(f"{FILE}streams.replication.manager.driver.target.cluster = west\n")

    output = output_of("driver", "--id", "berlin", "--config", str(config), "--dialect", "srm")

    assert "data SRM_DRIVER_TARGETS=west" in output.splitlines()


def test_a_role_is_one_process() -> None:
    assert "--role runs one process" in output_of("driver", "--role", "data", "--processes", "2", code=2)


def test_a_service_is_prepared_with_a_file_of_a_dialect(config: Path) -> None:
    output = output_of("service", "--prepare", "--config", str(config), "--dialect", "srm")

    assert f"manage.py prepare --config {config} --dialect srm" in output


@pytest.mark.parametrize(
    ("words", "why"),
    [(("--prepare", "--maintenance"), "are two commands"), (("--config", "f"), "belongs to --prepare")],
)
def test_a_service_does_one_thing(words: tuple[str, ...], why: str) -> None:
    assert why in output_of("service", *words, code=2)


@pytest.mark.parametrize("words", [(), ("run", "--target", "west")], ids=["all targets", "one target"])
def test_metrics_take_the_jars_of_a_folder(words: tuple[str, ...], home: Path, tmp_path: Path) -> None:
    jars = tmp_path / "jars"
    jars.mkdir()

    output = output_of("metrics", *words, "--jars", str(jars))

    assert f"-m metrics run --targets-file {home}/metrics/targets.json --jars {jars}" in output


@pytest.mark.parametrize(
    ("words", "module"), [((), "production"), (("--plain-http",), "local")], ids=["behind TLS", "plain"]
)
def test_a_service_listens_where_it_is_told(words: tuple[str, ...], module: str) -> None:
    port = str(free_port())

    output = output_of("service", "--host", "0.0.0.0", "--port", port, *words)  # noqa: S104

    assert f"--host 0.0.0.0 --port {port}" in output
    assert f"DJANGO_SETTINGS_MODULE=srm_service.settings.{module}" in output
    assert ("warning: " in output) is ("--plain-http" in words)


def test_a_service_can_be_the_maintenance_worker(home: Path) -> None:
    output = output_of("service", "--maintenance")

    assert f"--beat --schedule {home}/service/beat-schedule" in output
    assert "uvicorn" not in output


@pytest.mark.parametrize("before", [(), ("run", "--target", "west")], ids=["all targets", "one target"])
def test_metrics_count_the_targets_of_a_file(before: tuple[str, ...], tmp_path: Path) -> None:
    targets = tmp_path / "targets.json"
    targets.write_text("[]")

    output = output_of("metrics", *before, "--targets-file", str(targets), "--jars", str(tmp_path))

    assert f"-m metrics run --targets-file {targets}" in output
    assert f"--jars {tmp_path}" in output
    assert ("--target west" in output) is ("--target" in before)


def test_a_doctor_checks_a_file_and_an_address_and_fetches_jars(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[str] = []
    monkeypatch.setattr(doctor, "ensure_jars", lambda folder, name, say: fetched.append(name))
    port = str(free_port())

    result = CliRunner().invoke(
        srm, ["doctor", "--config", str(config), "--host", "127.0.0.1", "--port", port, "--fix"]
    )

    assert "2 clusters" in result.output
    assert "east does not answer at 127.0.0.1:9" in result.output
    assert port in result.output
    assert fetched == ["kafka", "spark"]


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("--flow", "a->b", "--check"), 1, "a->b"),
        (("--check", "--give-back"), 2, "exclude each other"),
        (("--flow", "east->west", "--give-back", "--json"), 1, "cluster west (127.0.0.1:9) does not answer"),
    ],
    ids=["unknown flow", "both", "unreachable"],
)
def test_flows_that_cannot_be_taken_over_are_named(config: Path, words: tuple[str, ...], code: int, text: str) -> None:
    output = output_of("adopt", "--from", str(config), *words, code=code)

    assert text in output
    assert "Traceback" not in output
