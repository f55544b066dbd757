"""The names things have: cluster aliases, flows, topic partitions, tasks."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

TaskKind = Literal["plan", "source", "checkpoint", "heartbeat"]
TASK_KINDS: tuple[TaskKind, ...] = get_args(TaskKind)


class TopicPartition(NamedTuple):
    """One partition of a topic, on either side. A tuple: a dataclass as a key takes thirty times as long to look up."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


@dataclass(frozen=True, slots=True, order=True)
class FlowId:
    """A replication flow `source->target`: the unit we enable, pause and alert on."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source}->{self.target}"


class TaskId(NamedTuple):
    """One task of a flow, written `<source>/<kind>/<slot>`; its target is known from the context.

    A tuple, as it is a key that each round of a driver looks up thousands of times.
    """

    source: str
    kind: TaskKind
    slot: int

    def __str__(self) -> str:
        return f"{self.source}/{self.kind}/{self.slot}"

    @classmethod
    def parse(cls, text: str) -> "TaskId":
        """Read `<source>/<kind>/<slot>`; ValueError names the text when it is none."""
        source, _, rest = text.partition("/")
        kind_text, _, slot = rest.partition("/")
        kind = next((known for known in TASK_KINDS if known == kind_text), None)
        if not source or kind is None or not slot.isdigit():
            raise ValueError(f"not a task id: {text!r} (expected <source>/<kind>/<slot>)")
        return cls(source, kind, int(slot))


def transactional_id(flow: FlowId, slot: int, generation: int) -> str:
    """The id by which Kafka fences a source task slot of one generation; generation 0 is older than generations."""
    slot_id = f"srm.{flow.target}.{flow.source}.{slot}"
    return f"{slot_id}.g{generation}" if generation else slot_id


def checkpoint_transactional_id(flow: FlowId, slot: int) -> str:
    """The id by which Kafka fences a checkpoint task slot."""
    return f"srm.{flow.target}.{flow.source}.checkpoint.{slot}"
