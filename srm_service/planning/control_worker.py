"""Asks the control workers of targets through Redis, and waits for their answers until a deadline."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import redis
from django.conf import settings

from replication.config.security.signed_document import signed
from replication.domain.questions.question import (
    LIFE_MS,
    QUESTIONS_KEY,
    RECEIPT,
    FlowAnswer,
    Question,
    QuestionError,
    answer_from_json,
    answer_key,
    question_to_json,
    receipt_from_json,
)
from srm_service.wiring import REDIS_PREFIX, redis_client

_POLL_S = 0.05
_RECEIPT_S = 3.0  # a control worker looks for questions at each nudge, at the latest after a second


@dataclass(slots=True)
class Answers:
    """The answers to one question by source; `driver` is the control worker that looks, None if none took it."""

    question: Question
    driver: str | None = None
    by_source: dict[str, FlowAnswer] = field(default_factory=dict)
    is_without_redis: bool = False

    @property
    def is_complete(self) -> bool:
        return set(self.question.sources) <= set(self.by_source)

    def of(self, source: str) -> FlowAnswer:
        """Return the answer about a flow; one with a problem if there is none."""
        return self.by_source.get(source) or FlowAnswer(problem=self._problem(source))

    def _problem(self, source: str) -> str:
        target = self.question.target
        if self.is_without_redis:
            return "Redis does not answer, so no control worker can be asked"
        if self.driver is None:
            return f"no control worker of target {target} answers: start a driver that serves {target}, and repeat"
        return (
            f"the control worker {self.driver} has not inspected {source}->{target} within "
            f"{self.question.wait_ms} ms: a cluster answers slowly or not at all"
        )


def ask(questions: Sequence[Question], *, monotonic_s: Callable[[], float] = time.monotonic) -> list[Answers]:
    """Return one entry per question, in their order, at the latest after the longest of their waits."""
    answers = [Answers(question=question) for question in questions]
    began_s = monotonic_s()
    try:
        client = redis_client()
        _send(client, questions)
        try:
            while waiting := _waiting(answers, monotonic_s() - began_s):
                for each in waiting:
                    _read(client, each)
                if _waiting(answers, monotonic_s() - began_s):
                    time.sleep(_POLL_S)
        finally:
            _clean_up(client, questions)
    except redis.RedisError:
        for each in answers:
            each.is_without_redis = not each.by_source
    return answers


def _send(client: redis.Redis, questions: Iterable[Question]) -> None:
    for question in questions:
        text = signed(settings.SRM_TRANSPORT_KEYS, question_to_json(question), "question")
        client.hset(QUESTIONS_KEY, question.id, text)
        client.pexpire(QUESTIONS_KEY, LIFE_MS)
        client.publish(f"{REDIS_PREFIX}nudge", f"{question.target} question")


def _waiting(answers: Iterable[Answers], waited_s: float) -> list[Answers]:
    return [each for each in answers if not each.is_complete and waited_s < _patience_s(each)]


def _patience_s(answers: Answers) -> float:
    wait_s = answers.question.wait_ms / 1_000
    return min(wait_s, max(_RECEIPT_S, wait_s / 2)) if answers.driver is None else wait_s


def _read(client: redis.Redis, answers: Answers) -> None:
    found = cast("Mapping[str, str]", client.hgetall(answer_key(answers.question.id)))
    for field_name, text in found.items():
        if field_name == RECEIPT:
            answers.driver = _driver(text)
        elif field_name not in answers.by_source:
            answers.by_source[field_name] = _answer(text)


def _driver(text: str) -> str:
    try:
        return receipt_from_json(text).driver
    except QuestionError:
        return "of another release"


def _answer(text: str) -> FlowAnswer:
    try:
        return answer_from_json(text)
    except QuestionError as error:
        return FlowAnswer(problem=f"{error}: update service and drivers to one release")


def _clean_up(client: redis.Redis, questions: Iterable[Question]) -> None:
    """A question that no one took must not be taken later."""
    for question in questions:
        client.hdel(QUESTIONS_KEY, question.id)
        client.delete(answer_key(question.id))
