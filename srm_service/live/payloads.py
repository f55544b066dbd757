"""Messages of `/ws/v1/live`. Their JSON Schema is part of the OpenAPI document, so the page has one source of types."""

from typing import Any, Literal, NotRequired, TypedDict

EventKind = Literal["status", "slot", "partition", "record"]


class LiveSubscribe(TypedDict):
    """Start or stop listening to `flows`, `drivers`, `events`, or to topics of a flow.

    `flow/<source>/<target>` has its busiest topics, `flow/<source>/<target>/topics?keys=` those that are named.
    """

    op: Literal["sub", "unsub"]
    topic: str


class LivePong(TypedDict):
    """The answer to a ping."""

    op: Literal["pong"]


class LiveFrame(TypedDict):
    """Rows of a topic. A snapshot holds all rows, a delta those that changed, whole; the first column is the key.

    A new `epoch`, or a `seq` that does not follow the last one, means that something was missed: subscribe again.
    """

    type: Literal["snapshot", "delta", "event"]
    topic: str
    epoch: str
    seq: int
    time_ms: int
    columns: list[str]
    rows: list[list[Any]]
    removed: list[str]


class LivePing(TypedDict):
    """Sent each 15 s; answer with a pong."""

    type: Literal["ping"]
    time_ms: int


class LiveError(TypedDict):
    """Something asked for is not possible; the socket stays open."""

    type: Literal["error"]
    code: Literal["unknown_topic", "bad_message", "forbidden", "not_found"]
    text: str
    time_ms: int
    topic: NotRequired[str]


class LiveTopicRow(TypedDict):
    """The columns of topic `flow/<source>/<target>`: its busiest topics this second."""

    key: str
    records_per_second: float | None
    bytes_per_second: float | None
    lag_offsets: int | None
    partitions: int | None
    updated_ms: int


class LiveNamedTopicRow(TypedDict):
    """The columns of topic `flow/<source>/<target>/topics?keys=`: the named topics, as their list in REST has them."""

    key: str
    remote_topic: str | None
    state: str | None
    records_per_second: float | None
    bytes_per_second: float | None
    lag_offsets: int | None
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    latency_max_ms: float | None
    partitions: int | None
    updated_ms: int | None


class LiveDriverRow(TypedDict):
    """The columns of topic `drivers`."""

    key: str
    id: str
    role: str
    host: str | None
    pid: int | None
    version: str | None
    targets: list[str]
    drain: bool
    started_ms: int | None
    sent_ms: int | None
    cpu_ratio: float | None
    rss_bytes: int | None
    tasks: int


class LiveEventRow(TypedDict):
    """The columns of topic `events`: changes of status of flows, and what drivers reported.

    A driver's event has the names of REST: `before` and `after` are states, of a rejected record the error policy.
    """

    key: str
    time_ms: int
    kind: EventKind
    source: str
    target: str
    before: str | None
    after: str
    reason: str
    topic: str | None
    partition: int | None


MESSAGES: tuple[type, ...] = (
    LiveSubscribe,
    LivePong,
    LiveFrame,
    LivePing,
    LiveError,
    LiveTopicRow,
    LiveNamedTopicRow,
    LiveDriverRow,
    LiveEventRow,
)
