"""A question of the service to a control worker, and the envelope of its answers (docs/contracts/questions.md)."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from replication.domain.desired.json_reader import FieldError
from replication.domain.json_documents import read_json
from replication.domain.questions.groups import PlaceToTranslate
from replication.domain.questions.json_shape import from_plain, to_plain

QUESTION_VERSION = 1
QUESTIONS_KEY = "srm:questions"
RECEIPT = "*"  # the field of an answer that says who inspects; no cluster alias
MOST_NAMES, LEAST_WAIT_MS, MOST_WAIT_MS, DEFAULT_WAIT_MS = 200, 100, 30_000, 5_000
RECORD_WAIT_MS = 20_000  # both clusters are read one after the other, and a request to a broker may take 8 s
LIFE_MS = 60_000  # of questions and answers in Redis
MOST_AGE_MS = 300_000  # older ones are repeated by someone else than the service

QuestionKind = Literal[
    "change_plan",
    "preview",
    "group_preview",
    "topic_states",
    "drift",
    "set_again",
    "group_partitions",
    "sync_groups",
    "translate",
    "record",
]


class QuestionError(ValueError):
    """A question or an answer cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The flows to inspect, and the desired document to inspect them by: the one in force, or a draft.

    `sources` name the flows into the target; each is answered separately. `topics` and `keys` select for `set_again`,
    `search`, `state`, `after` and `ordering` for `topic_states`, `allow` and `deny` are the patterns of both previews.
    `groups` are those of `group_partitions` and `sync_groups` (there, none are all), `places` those of
    `translate`; `record` has one, and `with_value` asks for the values of its records.
    `with_equal` asks `drift` for all configs, also those that are the same.
    """

    id: str
    kind: QuestionKind
    target: str
    sources: tuple[str, ...]
    document: str
    asked_ms: int
    wait_ms: int = DEFAULT_WAIT_MS
    most_names: int = MOST_NAMES
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    search: str = ""
    state: str = ""
    after: str = ""
    ordering: str = ""
    groups: tuple[str, ...] = ()
    places: tuple[PlaceToTranslate, ...] = ()
    dry_run: bool = False
    with_value: bool = False
    with_equal: bool = False
    v: int = QUESTION_VERSION

    def is_over(self, now_ms: int) -> bool:
        """Return True when an answer would come too late."""
        return now_ms > self.asked_ms + self.wait_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The control worker that inspects."""

    driver: str
    v: int = QUESTION_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowAnswer:
    """The answer about one flow: `content` is the plain form of the shape of the question's kind.

    `problem` says why there is none.
    """

    content: dict[str, Any] | None = None
    problem: str | None = None
    v: int = QUESTION_VERSION


def answer_key(question_id: str) -> str:
    """Return the Redis key of the answers to a question: a hash from source alias to answer."""
    return f"srm:answer:{question_id}"


def question_to_json(question: Question) -> str:
    return json.dumps(to_plain(question), separators=(",", ":"))


def question_from_json(text: str | bytes) -> Question:
    """Raises QuestionError."""
    try:
        question = from_plain(Question, read_json(text))
    except ValueError as error:
        raise QuestionError(f"the question cannot be read: {error}") from error
    if question.v > QUESTION_VERSION:
        raise QuestionError(f"the question has version {question.v}, this driver reads {QUESTION_VERSION}: upgrade it")
    return question


def answer_to_json(content: object = None, *, problem: str | None = None) -> str:
    """`content` is a dataclass of this package."""
    body = None if content is None else to_plain(content)
    return json.dumps({"v": QUESTION_VERSION, "content": body, "problem": problem}, separators=(",", ":"))


def answer_from_json(text: str | bytes) -> FlowAnswer:
    """Raises QuestionError."""
    try:
        raw = read_json(text)
        content, problem = raw.get("content"), raw.get("problem")
    except (ValueError, AttributeError) as error:
        raise QuestionError(f"the answer cannot be read: {error}") from error
    if not isinstance(content, dict | None) or not isinstance(problem, str | None):
        raise QuestionError("the answer cannot be read: it holds no object and no problem")
    return FlowAnswer(content=content, problem=problem)


def receipt_to_json(receipt: Receipt) -> str:
    return json.dumps(to_plain(receipt))


def receipt_from_json(text: str | bytes) -> Receipt:
    """Raises QuestionError."""
    try:
        return from_plain(Receipt, read_json(text))
    except (ValueError, FieldError) as error:
        raise QuestionError(f"the receipt cannot be read: {error}") from error
