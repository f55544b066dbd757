"""ClusterAdmin over confluent-kafka's AdminClient."""

import functools
import time
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar, cast

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka import TopicPartition as KafkaTopicPartition
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AdminClient,
    ConfigResource,
    NewPartitions,
    OffsetSpec,
    ResourceType,
)
from confluent_kafka.admin import NewTopic as KafkaNewTopic

from replication.config.security.client_security import client_security
from replication.domain.errors import AuthorizationError, ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.acl import GroupAcl, TopicAcl
from replication.domain.plan.rights import ANONYMOUS
from replication.domain.plan.slot import ClusterClient
from replication.domain.plan.topic_config import ConfigChange, ConfigValue
from replication.domain.settings.choices import LogEnd
from replication.kafka import acls, admin_values
from replication.kafka.certificates import CertificateWatch
from replication.kafka.client_config import REQUEST_TIMEOUT_S, librdkafka_config
from replication.kafka.error_translation import ErrorWatch
from replication.ports.admin import (
    ChosenConfigs,
    ClusterAdmin,
    ClusterDescription,
    NewTopic,
    Refused,
    RefusedAcl,
    TopicDescription,
)

_CREATE_CHUNK = 50
_CONFIG_CHUNK = 500
_OFFSETS_CHUNK = 5_000
_RESULT_TIMEOUT_S = REQUEST_TIMEOUT_S + 1.5  # the request's own time-out comes first and says more
_PROPAGATION_TIMEOUT_S = 5.0
_PROPAGATION_PAUSE_S = 0.05
# _NOENT: "no leaders found", the answer to a request for offsets of missing topics only
_MISSING = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._NOENT)
_HIDDEN = (*_MISSING, KafkaError.TOPIC_AUTHORIZATION_FAILED)
_OFFSET_SPECS: dict[LogEnd, Callable[[], OffsetSpec]] = {
    "earliest": OffsetSpec.earliest,
    "latest": OffsetSpec.latest,
}
Key = TypeVar("Key")
Result = TypeVar("Result")


def open_admin(cluster: ClusterClient, chosen: ChosenConfigs | None = None) -> ClusterAdmin:
    """Connects on the first call, not here. Raises ConfigurationError for settings no client can be made of.

    `chosen` reads single configs, which librdkafka cannot; the admin closes it.
    """
    return KafkaClusterAdmin(cluster, chosen)


class KafkaClusterAdmin:
    """One librdkafka handle; confluent-kafka allows calls from any thread."""

    def __init__(self, cluster: ClusterClient, chosen: ChosenConfigs | None = None) -> None:
        self._cluster = cluster
        self._chosen = chosen
        self._watch = ErrorWatch(cluster)
        self._certificates = CertificateWatch(cluster)
        self._opened = self._open()

    def _open(self) -> AdminClient:
        config = librdkafka_config(self._cluster)
        config["error_cb"] = self._watch.error_cb
        return AdminClient(config)

    @property
    def _client(self) -> AdminClient:
        if self._certificates.have_changed():
            self._opened = self._open()
        return self._opened

    @property
    def alias(self) -> str:
        return self._cluster.alias

    @property
    def servers(self) -> str:
        return ",".join(self._cluster.bootstrap)

    @property
    def principal(self) -> str:
        security = client_security(self._cluster.client, self._cluster.alias)
        if security.uses_sasl and security.username:
            return f"User:{security.username}"
        return "User:<the name in our certificate or ticket>" if security.protocol != "PLAINTEXT" else ANONYMOUS

    def describe_cluster(self) -> ClusterDescription:
        future = self._client.describe_cluster(request_timeout=REQUEST_TIMEOUT_S)
        found = self._result(future, "describe the cluster")
        return ClusterDescription(cluster_id=str(found.cluster_id), brokers=len(found.nodes))

    def list_topics(self) -> Mapping[str, int]:
        metadata = self._call(lambda: self._client.list_topics(timeout=REQUEST_TIMEOUT_S), "list topics")
        # a topic without a leader for the moment has an error and partitions; it must not look deleted
        return {name: len(topic.partitions) for name, topic in metadata.topics.items() if topic.partitions}

    def describe_topics(self, names: Collection[str]) -> Mapping[str, TopicDescription]:
        if not names:
            return {}
        futures = self._call(
            lambda: self._client.describe_topics(TopicCollection(list(names)), request_timeout=REQUEST_TIMEOUT_S),
            "describe topics",
        )
        found = self._existing(futures, "describe topics")
        return {
            name: TopicDescription(
                name=name,
                topic_id=admin_values.id_bytes(topic.topic_id),
                partitions=len(topic.partitions),
                replication_factor=len(topic.partitions[0].replicas) if topic.partitions else 0,
            )
            for name, topic in found.items()
        }

    def topic_configs(self, names: Collection[str]) -> Mapping[str, Mapping[str, ConfigValue]]:
        configs: dict[str, Mapping[str, ConfigValue]] = {}
        for chunk in admin_values.chunks(sorted(names), _CONFIG_CHUNK):
            resources = [ConfigResource(ResourceType.TOPIC, name) for name in chunk]
            futures = self._client.describe_configs(resources, request_timeout=REQUEST_TIMEOUT_S)
            by_name = {resource.name: future for resource, future in futures.items()}
            found = self._existing(by_name, "read configs", _HIDDEN)
            for name, entries in found.items():
                configs[name] = {entry.name: admin_values.config_value(entry) for entry in entries.values()}
        return configs

    def chosen_configs(self, names: Collection[str], keys: Collection[str]) -> Mapping[str, Mapping[str, ConfigValue]]:
        if self._chosen is not None:
            return self._chosen.chosen_configs(names, keys)
        found = self.topic_configs(names)
        return {name: {key: value for key, value in each.items() if key in keys} for name, each in found.items()}

    def create_topics(self, topics: Sequence[NewTopic]) -> tuple[Refused, ...]:
        refused = self._create(topics, validate_only=False)
        self._wait_until_seen({topic.name: 1 for topic in topics}, refused)
        return tuple(refused)

    def check_new_topics(self, topics: Sequence[NewTopic]) -> tuple[Refused, ...]:
        return tuple(self._create(topics, validate_only=True))

    def _create(self, topics: Sequence[NewTopic], *, validate_only: bool) -> list[Refused]:
        refused: list[Refused] = []
        for chunk in admin_values.chunks(topics, _CREATE_CHUNK):
            wanted = [
                KafkaNewTopic(
                    topic.name,
                    num_partitions=topic.partitions,
                    replication_factor=topic.replication_factor,
                    config=dict(topic.configs),
                )
                for topic in chunk
            ]
            futures = self._client.create_topics(wanted, request_timeout=REQUEST_TIMEOUT_S, validate_only=validate_only)
            refused += self._refused(futures, KafkaError.TOPIC_ALREADY_EXISTS, "create topics")
        return refused

    def create_partitions(self, counts: Mapping[str, int]) -> tuple[Refused, ...]:
        refused: list[Refused] = []
        for chunk in admin_values.chunks(sorted(counts.items()), _CREATE_CHUNK):
            wanted = [NewPartitions(name, count) for name, count in chunk]
            futures = self._client.create_partitions(wanted, request_timeout=REQUEST_TIMEOUT_S)
            refused += self._refused(futures, KafkaError.INVALID_PARTITIONS, "add partitions")
        self._wait_until_seen(counts, refused)
        return tuple(refused)

    def alter_topic_configs(self, changes: Sequence[ConfigChange]) -> tuple[Refused, ...]:
        refused: list[Refused] = []
        for chunk in admin_values.chunks(changes, _CONFIG_CHUNK):
            resources = [admin_values.incremental(change) for change in chunk]
            futures = self._client.incremental_alter_configs(resources, request_timeout=REQUEST_TIMEOUT_S)
            by_topic = {resource.name: future for resource, future in futures.items()}
            refused += self._refused(by_topic, KafkaError.NO_ERROR, "alter topic configs")
        return tuple(refused)

    def topic_operations(self, names: Collection[str]) -> Mapping[str, frozenset[str]]:
        if not names:
            return {}
        wanted = TopicCollection(list(names))
        futures = self._call(
            lambda: self._client.describe_topics(
                wanted, include_authorized_operations=True, request_timeout=REQUEST_TIMEOUT_S
            ),
            "describe topics",
        )
        found = self._existing(futures, "describe topics", _HIDDEN)
        return {name: admin_values.words(topic.authorized_operations) for name, topic in found.items()}

    def cluster_operations(self) -> frozenset[str]:
        future = self._client.describe_cluster(include_authorized_operations=True, request_timeout=REQUEST_TIMEOUT_S)
        return admin_values.words(self._result(future, "describe the cluster").authorized_operations)

    def topic_acls(self) -> tuple[TopicAcl, ...]:
        found = self._acls(acls.every_topic_acl())
        return tuple(acl for binding in found if (acl := acls.from_library(binding)) is not None)

    def group_acls(self) -> tuple[GroupAcl, ...]:
        found = self._acls(acls.every_group_acl())
        return tuple(acl for binding in found if (acl := acls.group_acl(binding)) is not None)

    def _acls(self, wanted: AclBindingFilter) -> Sequence[AclBinding]:
        future = self._client.describe_acls(wanted, request_timeout=REQUEST_TIMEOUT_S)
        found: Sequence[AclBinding] = self._result(future, "list ACLs")
        # the library hands out an empty list for a refusal, too
        if not found and "describe" not in self.cluster_operations():
            text = f"cluster {self.alias} refused to list ACLs: {self.principal} lacks DESCRIBE on the cluster"
            raise AuthorizationError(text, cluster=self.alias)
        return found

    def create_acls(self, bindings: Collection[TopicAcl]) -> tuple[RefusedAcl, ...]:
        if not bindings:
            return ()
        of_binding = {acls.to_library(acl): acl for acl in bindings}
        futures = self._client.create_acls(list(of_binding), request_timeout=REQUEST_TIMEOUT_S)
        return self._refused_acls({of_binding[binding]: future for binding, future in futures.items()}, "create ACLs")

    def delete_acls(self, bindings: Collection[TopicAcl]) -> tuple[RefusedAcl, ...]:
        if not bindings:
            return ()
        of_filter = {acls.to_filter(acl): acl for acl in bindings}
        futures = self._client.delete_acls(list(of_filter), request_timeout=REQUEST_TIMEOUT_S)
        return self._refused_acls({of_filter[each]: future for each, future in futures.items()}, "delete ACLs")

    def _refused_acls(self, futures: "Mapping[TopicAcl, Future[Any]]", what: str) -> tuple[RefusedAcl, ...]:
        refused: list[RefusedAcl] = []
        for acl, future in futures.items():
            error = self._refusal(future, what, acl.topic)
            if error is not None:
                refused.append(RefusedAcl(acl=acl, code=error.name(), text=error.str()))
        return tuple(refused)

    def _wait_until_seen(self, counts: Mapping[str, int], refused: Sequence[Refused]) -> None:
        """The controller answers before every broker has heard; give them a moment, then continue."""
        wanted = {name: count for name, count in counts.items() if name not in {each.topic for each in refused}}
        deadline = time.monotonic() + _PROPAGATION_TIMEOUT_S
        while wanted and time.monotonic() < deadline:
            seen = self.list_topics()
            wanted = {name: count for name, count in wanted.items() if seen.get(name, 0) < count}
            if wanted:
                time.sleep(_PROPAGATION_PAUSE_S)

    def list_offsets(self, partitions: Collection[TopicPartition], query: LogEnd) -> Mapping[TopicPartition, int]:
        return self._list_offsets(partitions, _OFFSET_SPECS[query]())

    def available_offsets(self, partitions: Collection[TopicPartition], query: LogEnd) -> Mapping[TopicPartition, int]:
        return self._list_offsets(partitions, _OFFSET_SPECS[query](), is_strict=False)

    def offsets_at(self, partitions: Collection[TopicPartition], time_ms: int) -> Mapping[TopicPartition, int]:
        """The first offset at or after a time; partitions without such a record are missing."""
        return self._list_offsets(partitions, OffsetSpec.for_timestamp(time_ms))

    def _list_offsets(
        self, partitions: Collection[TopicPartition], spec: OffsetSpec, *, is_strict: bool = True
    ) -> dict[TopicPartition, int]:
        """In parts: each partition's future takes 2 KB while it waits."""
        found: dict[TopicPartition, int] = {}
        failure: ReplicationError | None = None
        for chunk in admin_values.chunks(list(partitions), _OFFSETS_CHUNK):
            wanted = {KafkaTopicPartition(each.topic, each.partition): spec for each in chunk}
            futures = self._call(
                functools.partial(self._client.list_offsets, wanted, request_timeout=REQUEST_TIMEOUT_S), "list offsets"
            )
            if is_strict:
                answers = self._existing(futures, "list offsets")
            else:
                answers, error = self._answered(futures, "list offsets")
                failure = failure or error
            for each, info in answers.items():
                if info.offset >= 0:
                    found[TopicPartition(each.topic, each.partition)] = info.offset
        if failure is not None and not found:
            raise failure
        return found

    def group_members(self, group: str) -> int:
        """By the older call, deprecated in the library, because the newer one refuses groups of Kafka Connect."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            client = cast("Any", self._client)  # this method has no types
            groups = self._call(lambda: client.list_groups(group, timeout=REQUEST_TIMEOUT_S), "list groups")
        refused = next((found.error for found in groups if found.id == group and found.error is not None), None)
        if refused is not None:
            raise self._watch.translate(refused, "list groups")
        return sum(len(found.members) for found in groups if found.id == group)

    def close(self) -> None:
        """librdkafka ends the handle when it is collected; there is nothing to flush."""
        if self._chosen is not None:
            self._chosen.close()

    def _call(self, call: Callable[[], Result], what: str) -> Result:
        try:
            return call()
        except KafkaException as error:
            self._client.poll(0)  # deliver what the error callback has to say
            raise self._watch.translate(error, what) from error

    def _result(self, future: "Future[Result]", what: str) -> Result:
        return self._call(lambda: future.result(timeout=_RESULT_TIMEOUT_S), what)

    def _existing(
        self, futures: Mapping[Key, "Future[Result]"], what: str, missing: Collection[int] = _MISSING
    ) -> dict[Key, Result]:
        """The results; those of topics that do not exist are missing."""
        found: dict[Key, Result] = {}
        for key, future in futures.items():
            try:
                found[key] = future.result(timeout=_RESULT_TIMEOUT_S)
            except KafkaException as error:
                if error.args[0].code() not in missing:
                    self._client.poll(0)
                    raise self._watch.translate(error, what) from error
        return found

    def _answered(
        self, futures: Mapping[Key, "Future[Result]"], what: str
    ) -> tuple[dict[Key, Result], ReplicationError | None]:
        """The results of all that were answered, and the first failure of the others, if any."""
        found: dict[Key, Result] = {}
        failure: ReplicationError | None = None
        for key, future in futures.items():
            try:
                found[key] = future.result(timeout=_RESULT_TIMEOUT_S)
            except KafkaException as error:
                if failure is None and error.args[0].code() not in _MISSING:
                    self._client.poll(0)
                    failure = self._watch.translate(error, what)
        return found, failure

    def _refused(self, futures: Mapping[str, "Future[None]"], harmless: int, what: str) -> list[Refused]:
        """Return what the cluster refused, by topic; raises when the request as a whole failed."""
        refused: list[Refused] = []
        for topic, future in futures.items():
            reason = self._refusal(future, what, topic)
            if reason is not None and reason.code() != harmless:
                refused.append(Refused(topic=topic, code=reason.name(), text=reason.str()))
        return refused

    def _refusal(self, future: "Future[Any]", what: str, topic: str) -> KafkaError | None:
        """The cluster's answer for one item; raises when no broker answered."""
        try:
            future.result(timeout=_RESULT_TIMEOUT_S)
        except KafkaException as error:
            reason: KafkaError = error.args[0]
            is_local = reason.code() < 0  # librdkafka's own
            if is_local:
                self._client.poll(0)
                raise self._watch.translate(error, what, topic=topic) from error
            return reason
        return None
