"""Single configs of topics, by one request for all of them.

librdkafka reads all configs of a topic with their synonyms; planners ask for two of them every few seconds.
"""

import threading
from collections.abc import Collection, Mapping
from typing import Any

from kafka.protocol.admin import DescribeConfigsRequest

from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.domain.plan.slot import ClusterClient
from replication.domain.plan.topic_config import ConfigValue, config_source
from replication.wire.inquiries.blocking_link import BlockingLink
from replication.wire.network.loop import EngineLoop

_TOPIC = 2  # the type of the resource
_VERSION = 4
_DOING = "reading configs"
_HIDDEN = frozenset({Code.UNKNOWN_TOPIC_OR_PARTITION, Code.TOPIC_AUTHORIZATION_FAILED})


class WireChosenConfigs:
    """The `ChosenConfigs` of one cluster. Without a loop, it has one from the first call to `close`."""

    def __init__(self, cluster: ClusterClient, loop: EngineLoop | None = None) -> None:
        self._blocking = BlockingLink(cluster, "srm-configs", loop)
        self._one_call = threading.Lock()

    def chosen_configs(self, names: Collection[str], keys: Collection[str]) -> Mapping[str, Mapping[str, ConfigValue]]:
        if not names:
            return {}
        with self._one_call:
            return self._blocking.run(lambda: self._read(sorted(names), sorted(keys)))

    def close(self) -> None:
        with self._one_call:
            self._blocking.close()

    async def _read(self, names: list[str], keys: list[str]) -> dict[str, dict[str, ConfigValue]]:
        resource, link = DescribeConfigsRequest.DescribeConfigsResource, self._blocking.link
        wanted = [resource(resource_type=_TOPIC, resource_name=name, configuration_keys=keys) for name in names]
        request = DescribeConfigsRequest(
            resources=wanted, include_synonyms=False, include_documentation=False, max_version=_VERSION
        )
        found: dict[str, dict[str, ConfigValue]] = {}
        for each in (await link.send(request, doing=_DOING)).results:
            if each.error_code in _HIDDEN:
                continue
            link.check(each.error_code, f"{_DOING} of {each.resource_name}")
            found[each.resource_name] = {entry.name: _value(entry) for entry in each.configs}
        return found


def _value(entry: Any) -> ConfigValue:
    return ConfigValue(
        name=entry.name,
        value=entry.value,
        source=config_source(entry.config_source),
        read_only=entry.read_only,
        sensitive=entry.is_sensitive,
    )
