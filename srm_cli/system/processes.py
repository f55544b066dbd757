"""The processes of `srm up` and how they depend on each other."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from replication.domain.settings.choices import FILE_DIALECT
from srm_cli.dev_clusters.broker import run_command
from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.machine import embedded_redis
from srm_cli.machine.home import HomeFolder
from srm_cli.machine.own_secrets import ensure_secrets, remember_embedded_redis, uses_own_redis
from srm_cli.machine.ports import LOOPBACK, remembered_port
from srm_cli.supervisor.spec import ProcessSpec
from srm_cli.system import commands, probes
from srm_cli.system.drivers import DriverPlan, driver_specs, next_port

DRIVER_ID = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPlan:
    """`with_metrics` false leaves Spark out, for small machines.

    `name` is that of one of several systems under one supervisor, whose logs are in `logs`; `env` are more variables.
    """

    folder: HomeFolder
    host: str = LOOPBACK
    port: int = 6670
    config: Path | None = None
    dialect: str = FILE_DIALECT
    with_metrics: bool = True
    log_level: str = "INFO"
    drivers: int = 1
    processes: int = 1  # data processes of each driver
    web_workers: int = 1
    name: str = ""
    logs: Path | None = None
    spark_jars: Path | None = None  # None: those of the state folder
    env: Mapping[str, str] = field(default_factory=dict)

    def process_name(self, process: str) -> str:
        return f"{self.name}-{process}" if self.name else process

    @property
    def url(self) -> str:
        shown = "localhost" if self.host in (LOOPBACK, "0.0.0.0") else self.host  # noqa: S104 - only compared
        return f"http://{shown}:{self.port}"

    @property
    def probe_url(self) -> str:
        return f"http://{LOOPBACK if self.host == '0.0.0.0' else self.host}:{self.port}"  # noqa: S104 - only compared


def system_specs(plan: SystemPlan) -> tuple[ProcessSpec, ...]:
    """All processes, each after what it cannot start without. Makes the secrets and the Redis configuration."""
    secrets = ensure_secrets(plan.folder)
    own_redis, redis_url = _redis(plan, secrets)
    env = {
        "SRM_HOME": str(plan.folder.path),
        "SRM_HOST": plan.host,
        "SRM_PORT": str(plan.port),
        "SRM_LOG_LEVEL": plan.log_level,
        "PYTHONUNBUFFERED": "1",
        "DJANGO_SETTINGS_MODULE": "srm_service.settings.local",  # the shell may name that of another project
        **plan.env,
    }
    driver_env = {**env, "SRM_REDIS_URL": redis_url, "SRM_TRANSPORT_KEYS": secrets["SRM_TRANSPORT_KEYS"]}
    service_env = {**driver_env, **{name: secrets[name] for name in ("SRM_SECRET_KEYS", "SRM_DJANGO_SECRET_KEY")}}
    after_redis = tuple(spec.name for spec in own_redis)
    service = _service_side(plan, service_env, after_redis)
    specs = (*own_redis, *service, *_drivers(plan, driver_env, after_redis), *_metrics(plan, env))
    return tuple(
        replace(spec, name=plan.process_name(spec.name), after=tuple(map(plan.process_name, spec.after)))
        for spec in specs
    )


def broker_specs(clusters: Mapping[str, LocalCluster], jars: Path) -> tuple[ProcessSpec, ...]:
    """One process per broker of the prepared clusters."""
    return tuple(
        ProcessSpec(
            name=broker_name(cluster, node.node_id),
            command=tuple(run_command(node, jars)),
            probe=probes.cluster_answers(cluster),
        )
        for cluster in clusters.values()
        for node in cluster.nodes
    )


def broker_name(cluster: LocalCluster, node_id: int) -> str:
    return f"kafka-{cluster.alias}" if len(cluster.nodes) == 1 else f"kafka-{cluster.alias}-{node_id}"


def _redis(plan: SystemPlan, secrets: Mapping[str, str]) -> tuple[tuple[ProcessSpec, ...], str]:
    if not uses_own_redis():
        return (), os.environ["SRM_REDIS_URL"]
    port = remembered_port(plan.folder.ports_file, "redis")
    redis_url = remember_embedded_redis(plan.folder, port)
    config = embedded_redis.write_config(plan.folder.redis, port=port, password=secrets["SRM_REDIS_PASSWORD"])
    command = embedded_redis.server_command(config)
    return (ProcessSpec(name="redis", command=command, probe=probes.redis_answers(redis_url)),), redis_url


def _service_side(plan: SystemPlan, env: Mapping[str, str], after: tuple[str, ...]) -> tuple[ProcessSpec, ...]:
    schedule = plan.folder.path / "service" / "beat-schedule"
    return (
        ProcessSpec(
            name="prepare",
            command=commands.prepare(plan.config, plan.dialect),
            env=env,
            cwd=commands.PROJECT,
            one_shot=True,
        ),
        ProcessSpec(
            name="service",
            command=commands.service(host=plan.host, port=plan.port, workers=plan.web_workers),
            env=env,
            cwd=commands.PROJECT,
            after=(*after, "prepare"),
            probe=probes.service_is_ready(plan.probe_url),
        ),
        ProcessSpec(
            name="maintenance",
            command=commands.maintenance(schedule=schedule, log_level=plan.log_level),
            env=env,
            cwd=commands.PROJECT,
            after=(*after, "prepare"),
        ),
    )


def _drivers(plan: SystemPlan, env: Mapping[str, str], after: tuple[str, ...]) -> Iterator[ProcessSpec]:
    """Yield the processes of all drivers; the names of the first one's are those of a system with one driver."""
    for number in range(1, plan.drivers + 1):
        suffix = "" if number == 1 else f".{number}"
        driver = DriverPlan(
            driver_id=f"{DRIVER_ID}{suffix}",
            processes=plan.processes,
            log_level=plan.log_level,
            http_port=_http_port(plan, number),
            http_config=os.environ.get("SRM_DRIVER_HTTP_CONFIG", ""),
        )
        yield from driver_specs(driver, env, prefix=f"driver{suffix}-", after=after)


def _http_port(plan: SystemPlan, number: int) -> str:
    """Return the port of the number-th driver; SRM_DRIVER_HTTP_PORT is that of the first one."""
    return next_port(os.environ.get("SRM_DRIVER_HTTP_PORT", ""), (number - 1) * (plan.processes + 1))


def _metrics(plan: SystemPlan, env: Mapping[str, str]) -> tuple[ProcessSpec, ...]:
    if not plan.with_metrics:
        return ()
    command = commands.metrics(plan.folder.metrics_targets, plan.spark_jars)
    log = (plan.logs or plan.folder.logs) / f"{plan.process_name('metrics')}.log"
    return (
        ProcessSpec(
            name="metrics",
            command=command,
            env=env,
            cwd=commands.PROJECT,
            probe=probes.log_says(log, "Spark is up"),
            ready_within_seconds=120.0,
        ),
    )
