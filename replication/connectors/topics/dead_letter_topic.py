"""Keeps the size limit of the dead letter topic above that of every record the flow may send to it."""

import structlog

from replication.codecs.applied_records import AppliedSettings
from replication.connectors.plan.source_settings import SourceSettings
from replication.connectors.topics.applied_ledger import AppliedLedger
from replication.domain.names.internal_topics import DEAD_LETTERS
from replication.domain.plan.plan_document import PlanWarning, plan_warning
from replication.domain.plan.topic_config import ConfigChange
from replication.ports.admin import ClusterAdmin

log = structlog.get_logger(__name__)
MAX_BYTES = "max.message.bytes"
HEADERS_BYTES = 64 * 1024  # for the headers that describe the rejection


class DeadLetterTopic:
    """The dead letter topic of one flow. Blocking; one thread at a time. Does nothing without dead letters."""

    def __init__(self, target: ClusterAdmin, source: str, settings: SourceSettings, ledger: AppliedLedger) -> None:
        self._target = target
        self._ledger = ledger
        kept = settings.dead_letters
        self._topic = None if kept is None else kept or DEAD_LETTERS.name(source)
        self._fitted_bytes = 0
        self.warnings: tuple[PlanWarning, ...] = ()

    def raise_limit(self, largest_bytes: int) -> None:
        """Raise the topic's limit above that of the flow's largest topic; checks again only when that has grown.

        It is never lowered, and a limit set by an operator is kept and reported in `warnings`. Raises the errors of
        ClusterAdmin when the cluster does not answer.
        """
        if self._topic is None or largest_bytes <= self._fitted_bytes:
            return
        configs = self._target.topic_configs((self._topic,)).get(self._topic)
        if configs is None:
            return
        self._fitted_bytes, self.warnings = largest_bytes, ()
        limit, before = configs.get(MAX_BYTES), self._ledger.of(self._topic)
        wanted = largest_bytes + HEADERS_BYTES
        if limit is None or limit.value is None or int(limit.value) >= wanted:
            return
        if limit.source == "topic" and before.configs.get(MAX_BYTES) != limit.value:
            self._warn(wanted, f"{MAX_BYTES}={limit.value} was set on it")
            return
        self._ledger.put(
            self._topic, AppliedSettings(configs={**before.configs, MAX_BYTES: str(wanted)}, acls=before.acls)
        )
        self._ledger.flush()  # before the change: a limit that is not recorded counts as an operator's
        refused = self._target.alter_topic_configs([ConfigChange(topic=self._topic, set={MAX_BYTES: str(wanted)})])
        if refused:
            self._warn(
                wanted, f"cluster {self._target.alias} refused the change: {refused[0].text} ({refused[0].code})"
            )
        else:
            log.info("dead letter topic limit raised", topic=self._topic, max_message_bytes=wanted)

    def _warn(self, wanted_bytes: int, reason: str) -> None:
        text = (
            f"topic {self._topic} should take {wanted_bytes} bytes, but {reason}; larger dead letters are kept without "
            f"their value: set {MAX_BYTES}={wanted_bytes} there"
        )
        self.warnings = (plan_warning("dead_letters_narrow", text, cluster=self._target.alias),)
