"""Settings for records that the target rejects, in our words and in Kafka Connect's."""

from typing import get_args

from replication.domain.settings.choices import ErrorsPolicy, Tolerance
from replication.domain.settings.setting import Setting
from replication.domain.settings.value_types import BOOLEAN, TOPIC_NAME, choice, duration_ms, or_blank

ERRORS_POLICY: Setting[ErrorsPolicy | None] = Setting(
    key="srm.errors.policy",
    values=or_blank(choice(*get_args(ErrorsPolicy))),
    default=None,
    role="source",
    effect="engine",
    slot_field="errors",
    doc="What to do with a record that the target rejects. Without it, a dead letter topic means `dead_letter` and "
    "`errors.tolerance` decides otherwise.",
)
ERRORS_TOLERANCE: Setting[Tolerance] = Setting(
    key="errors.tolerance",
    values=choice(*get_args(Tolerance)),
    default="none",
    role="source",
    effect="engine",
    slot_field="errors",
    doc="`all` skips records that the target rejects, `none` stops their partition.",
)
DEAD_LETTERS_TOPIC = Setting(
    key="errors.deadletterqueue.topic.name",
    values=TOPIC_NAME,
    default=None,
    role="source",
    effect="engine",
    slot_field="errors",
    doc="The topic in the target that takes rejected records. Under the policy `dead_letter` it is by default "
    "a topic of the flow ([internal topics](internal-topics.md)).",
)
UNMASKED_LETTERS = Setting(
    key="srm.errors.deadletters.unmasked",
    values=BOOLEAN,
    default=False,
    role="source",
    effect="engine",
    slot_field="errors",
    doc="Whether dead letters hold records as they were although transforms hide parts of them.",
)
RETRY_TIMEOUT = Setting(
    key="errors.retry.timeout",
    values=duration_ms(-1),
    default=-1,
    role="source",
    effect="engine",
    slot_field="errors",
    doc="How long errors that may be temporary are retried; 0 and -1 set no limit, as Kafka's producer has none.",
)
RETRY_DELAY_MAX = Setting(
    key="errors.retry.delay.max.ms",
    values=duration_ms(0),
    default=5_000,
    role="source",
    effect="engine",
    slot_field="errors",
    doc="The longest pause between two attempts, at least 100 ms.",
)
ERROR_LOGS = tuple(
    Setting(
        key=key,
        values=BOOLEAN,
        default=False,
        role="source",
        effect="none",
        why="each rejected record is logged with its offset, never with its content",
    )
    for key in ("errors.log.enable", "errors.log.include.messages")
)
