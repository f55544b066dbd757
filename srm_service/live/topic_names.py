"""The names of live topics: `flows`, `drivers`, `events`, and those of a flow."""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl, unquote

from replication.domain.identifiers import FlowId
from srm_service.live.tables import DRIVER_COLUMNS, EVENT_COLUMNS, FLOW_COLUMNS, NAMED_TOPIC_COLUMNS, TOPIC_COLUMNS

TopicKind = Literal["flows", "drivers", "events", "flow", "topics"]
MOST_KEYS = 100
_KNOWN = "use flows, drivers, events, flow/<source>/<target> or flow/<source>/<target>/topics?keys=<topic>,<topic>"
_COLUMNS: dict[TopicKind, list[str]] = {
    "flows": FLOW_COLUMNS,
    "drivers": DRIVER_COLUMNS,
    "events": EVENT_COLUMNS,
    "flow": TOPIC_COLUMNS,
    "topics": NAMED_TOPIC_COLUMNS,
}


class UnknownTopicError(Exception):
    """There is no such live topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTopic:
    """A live topic; those of the kinds `flow` and `topics` have a flow, and `keys` are names on its source."""

    kind: TopicKind
    flow: FlowId | None = None
    keys: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        return _COLUMNS[self.kind]


def parsed_topic(name: str) -> LiveTopic:
    """Return the topic of a name. Raises UnknownTopicError, which names those that exist."""
    if name in ("flows", "drivers", "events"):
        kind: TopicKind = "flows" if name == "flows" else "drivers" if name == "drivers" else "events"
        return LiveTopic(kind=kind)
    path, _, query = name.partition("?")
    match [unquote(part) for part in path.split("/")]:
        case ["flow", str(source), str(target)] if source and target and not query:
            return LiveTopic(kind="flow", flow=FlowId(source, target))
        case ["flow", str(source), str(target), "topics"] if source and target:
            return LiveTopic(kind="topics", flow=FlowId(source, target), keys=_keys(query))
    raise UnknownTopicError(f"no such topic: {_KNOWN}")


def _keys(query: str) -> tuple[str, ...]:
    """Names of topics hold no comma, so commas separate them."""
    parameters = parse_qsl(query, keep_blank_values=True)
    keys = tuple(dict.fromkeys(key for name, value in parameters if name == "keys" for key in value.split(",") if key))
    if any(name != "keys" for name, _ in parameters) or not keys:
        raise UnknownTopicError(f"the topics of a flow need keys and nothing else: {_KNOWN}")
    if len(keys) > MOST_KEYS:
        raise UnknownTopicError(f"{len(keys)} keys are too many: at most {MOST_KEYS}, subscribe to several topics")
    return keys
