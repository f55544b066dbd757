"""Composition root of commands that work on a cluster without a service, as the original tool does."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from replication.client.replication_client import ReplicationClient
from replication.domain.errors import (
    AuthenticationError,
    AuthorizationError,
    ConfigurationError,
    ReplicationError,
    RequestTimedOutError,
)
from replication.domain.identifiers import TopicPartition
from replication.domain.names.copy_topics import CopyTopics
from replication.domain.names.replication_policy import ReplicationPolicy
from replication.domain.plan.slot import ClusterClient
from replication.lists.control_topic import ControlTopics
from replication.ports.groups.copy_logs import CopyLogs
from replication.ports.record_log import RecordLog
from srm_cli.control.values import read_pairs
from srm_cli.errors import ExitCode, OperatorError, UsageError
from srm_cli.options.dialect_option import dialect_option
from srm_cli.service.access import ServiceAccess

_Command = Callable[..., Any]
DEFAULT_FACTOR = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectAccess:
    """The options to reach the target cluster itself; without them, commands use the service."""

    config: Path | None
    dialect: str
    bootstrap_servers: str | None
    props: tuple[str, ...]
    producer_props: tuple[str, ...] = ()
    consumer_props: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "DirectAccess":
        """Take the options of a command. Raises UsageError for client properties without a cluster to use them on."""
        direct = cls(**{field.name: given[field.name] for field in fields(cls) if field.name in given})
        if not direct.is_wanted and (direct.props or direct.producer_props or direct.consumer_props):
            raise UsageError("client properties need --bootstrap-servers or --config: the service has its own")
        return direct

    @property
    def is_wanted(self) -> bool:
        return self.config is not None or self.bootstrap_servers is not None

    def client(self, alias: str, extra: tuple[str, ...] = ()) -> ClusterClient:
        """Return the cluster with its settings; options win over the file. Raises OperatorError."""
        bootstrap, client = self._from_file(alias)
        if self.bootstrap_servers is not None:
            bootstrap = tuple(part.strip() for part in self.bootstrap_servers.split(",") if part.strip())
        if not bootstrap:
            raise UsageError(f"no address of cluster {alias}: set --bootstrap-servers")
        settings = {**client, **read_pairs(self.props), **read_pairs(extra)}
        return ClusterClient(alias=alias, bootstrap=bootstrap, client=settings)

    def _from_file(self, alias: str) -> tuple[tuple[str, ...], dict[str, str]]:
        if self.config is None:
            return (), {}
        from srm_cli.system.desired_flows import cluster_clients
        from srm_cli.system.properties import read_config

        clients = cluster_clients(read_config(self.config, self.dialect))
        if alias not in clients:
            raise OperatorError(
                f"{self.config} has no cluster {alias}; it has {', '.join(sorted(clients))}",
                exit_code=ExitCode.NOT_FOUND,
            )
        return clients[alias].bootstrap, dict(clients[alias].client)


def cluster_options(command: _Command) -> _Command:
    """`--config`, `--dialect`, `--bootstrap-servers` and `--props`: work on the target cluster without a service."""
    options = (
        click.option("--config", type=click.Path(path_type=Path), help="Work without a service: file of the clusters."),
        dialect_option("srm"),
        click.option("--bootstrap-servers", help="Work without a service: addresses of the target cluster."),
        click.option("--props", multiple=True, metavar="KEY=VALUE,...", help="Client properties of the cluster."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@contextmanager
def control_topics(direct: DirectAccess, target: str) -> Iterator[ControlTopics]:
    """Open the control topics of a target cluster. Raises OperatorError, also for what fails inside."""
    from replication.kafka.admin import open_admin
    from replication.kafka.producer import ConfluentRecordProducer
    from replication.kafka.record_log import KafkaRecordLog

    with errors_for_operators():
        topics = ControlTopics(
            open_admin(direct.client(target)),
            KafkaRecordLog(direct.client(target, direct.consumer_props)),
            ConfluentRecordProducer(direct.client(target, direct.producer_props)),
        )
        try:
            yield topics
        finally:
            topics.close()


@contextmanager
def record_log(client: ClusterClient) -> Iterator[RecordLog]:
    """Open a reader of a cluster's topics. Raises OperatorError, also for what fails inside."""
    from replication.kafka.record_log import KafkaRecordLog

    with errors_for_operators():
        log = KafkaRecordLog(client)
        try:
            yield log
        finally:
            log.close()


@contextmanager
def replication_client(client: ClusterClient, policy: ReplicationPolicy, separator: str) -> Iterator[ReplicationClient]:
    """Open a client of what flows tell on a cluster. Errors stay those of the cluster."""
    from replication.kafka.admin import open_admin
    from replication.kafka.copy_logs import KafkaCopyLogs
    from replication.kafka.record_log import KafkaRecordLog

    def copy_logs(topics: CopyTopics) -> CopyLogs:
        return KafkaCopyLogs(None, client, topics)

    with ReplicationClient(
        open_admin(client), KafkaRecordLog(client), copy_logs, policy, separator=separator
    ) as opened:
        yield opened


def topics_of(client: ClusterClient) -> Mapping[str, int]:
    """Return the number of partitions of each topic that the cluster shows. Raises OperatorError."""
    from replication.kafka.admin import open_admin

    with errors_for_operators():
        admin = open_admin(client)
        try:
            return admin.list_topics()
        finally:
            admin.close()


def log_ends_of(
    client: ClusterClient, partitions: Collection[TopicPartition]
) -> tuple[Mapping[TopicPartition, int], Mapping[TopicPartition, int]]:
    """Return the starts and the ends of logs; those whose leader does not answer are missing. Raises OperatorError."""
    from replication.kafka.admin import open_admin

    with errors_for_operators():
        admin = open_admin(client)
        try:
            starts = admin.available_offsets(partitions, "earliest")
            return starts, admin.available_offsets(partitions, "latest")
        finally:
            admin.close()


def reading_client(access: ServiceAccess, direct: DirectAccess, alias: str) -> ClusterClient:
    """Return a cluster to read from, by the options or else by the service. Raises OperatorError."""
    return direct.client(alias) if direct.is_wanted else _client_of_service(access, alias)


def _client_of_service(access: ServiceAccess, alias: str) -> ClusterClient:
    """Return a cluster with the settings that the service shows. Raises OperatorError if it has secrets."""
    found = access.client().get(f"/clusters/{quote(alias, safe='')}")
    if found.get("secret_names"):
        names = ", ".join(found["secret_names"])
        raise OperatorError(f"cluster {alias} needs {names}, which the service does not show: use --config")
    return ClusterClient(alias=alias, bootstrap=tuple(found["bootstrap"]), client=dict(found.get("client") or {}))


@contextmanager
def errors_for_operators() -> Iterator[None]:
    """Translate errors of a cluster into errors with an exit code."""
    try:
        yield
    except (AuthenticationError, AuthorizationError) as error:
        raise OperatorError(error.text, exit_code=ExitCode.RIGHTS) from error
    except RequestTimedOutError as error:
        raise OperatorError(error.text, exit_code=ExitCode.TIMEOUT) from error
    except ConfigurationError as error:
        raise OperatorError(error.text) from error
    except ReplicationError as error:
        raise OperatorError(error.text, exit_code=ExitCode.SERVICE) from error
