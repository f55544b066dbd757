"""A control worker that gives prepared answers, for tests of those who ask."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import redis

from replication.domain.questions.question import (
    LIFE_MS,
    QUESTIONS_KEY,
    RECEIPT,
    Question,
    Receipt,
    answer_key,
    answer_to_json,
    question_from_json,
    receipt_to_json,
)

Script = Mapping[str, Callable[[Question], Any]]  # by the kind of question; a dataclass, or a text: why there is none


@contextmanager
def scripted_worker(url: str, script: Script) -> Iterator[list[Question]]:
    """Answer questions until the end of the block; yields the questions in the order they were taken."""
    client: redis.Redis = redis.Redis.from_url(url, decode_responses=True)
    taken: list[Question] = []
    stopped = threading.Event()

    def look() -> None:
        while not stopped.wait(0.02):
            for question_id, text in client.hgetall(QUESTIONS_KEY).items():
                if client.hdel(QUESTIONS_KEY, question_id):
                    question = question_from_json(text)
                    taken.append(question)
                    _answer(client, question, script[question.kind](question))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield taken
    finally:
        stopped.set()
        thread.join()
        client.close()


def _answer(client: redis.Redis, question: Question, content: Any) -> None:
    text = answer_to_json(problem=content) if isinstance(content, str) else answer_to_json(content)
    key = answer_key(question.id)
    client.hset(key, mapping={RECEIPT: receipt_to_json(Receipt(driver="driver-1")), question.sources[0]: text})
    client.pexpire(key, LIFE_MS)
