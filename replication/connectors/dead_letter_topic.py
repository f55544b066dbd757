"""Keeps the dead letter topic large enough for what ends there, also for records too large for their remote topic."""

import structlog

from replication.codecs.applied_records import AppliedSettings
from replication.connectors.applied_ledger import AppliedLedger
from replication.connectors.source_settings import SourceSettings
from replication.domain.error_handling import dead_letters_topic
from replication.domain.plan import PlanWarning
from replication.domain.topic_config import ConfigChange
from replication.ports.admin import ClusterAdmin

log = structlog.get_logger(__name__)
MAX_BYTES = "max.message.bytes"
HEADERS_BYTES = 64 * 1024  # for the headers that say what became of a record


class DeadLetterTopic:
    """Of one flow; blocking, one thread at a time. Does nothing for a flow that keeps no dead letters."""

    def __init__(self, target: ClusterAdmin, source: str, settings: SourceSettings, ledger: AppliedLedger) -> None:
        self._target = target
        self._ledger = ledger
        kept = settings.dead_letters
        self._topic = None if kept is None else kept or dead_letters_topic(source)
        self._fitted_bytes = 0
        self.warnings: tuple[PlanWarning, ...] = ()

    def fit(self, largest_bytes: int) -> None:
        """Raise the topic's limit above that of the flow's largest topic; looks again only when that has grown.

        It is never lowered, and a limit that somebody else chose stays: then `warnings` says so. Raises what
        ClusterAdmin raises when the cluster does not answer.
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
            self._warn(wanted, f"somebody set {MAX_BYTES}={limit.value} on it")
            return
        self._ledger.put(
            self._topic, AppliedSettings(configs={**before.configs, MAX_BYTES: str(wanted)}, acls=before.acls)
        )
        self._ledger.flush()  # before the change: what is not written down is taken for another's choice
        refused = self._target.alter_topic_configs([ConfigChange(topic=self._topic, set={MAX_BYTES: str(wanted)})])
        if refused:
            self._warn(wanted, f"cluster {self._target.alias} refused to: {refused[0].text} ({refused[0].code})")
        else:
            log.info("dead letter topic made larger", topic=self._topic, max_message_bytes=wanted)

    def _warn(self, wanted_bytes: int, why: str) -> None:
        text = (
            f"{self._topic} should take {wanted_bytes} bytes, but {why}; larger dead letters are kept without their "
            f"value: set {MAX_BYTES}={wanted_bytes} there"
        )
        self.warnings = (PlanWarning(code="dead_letters_narrow", text=text),)
