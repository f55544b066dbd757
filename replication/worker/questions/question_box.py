"""The questions and answers in Redis."""

from typing import cast

import structlog
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from replication.config.redis_access import open_redis
from replication.domain.questions.question import LIFE_MS, QUESTIONS_KEY, answer_key
from replication.worker.state.redis_store import CoordinatorLostError

log = structlog.get_logger(__name__)


class QuestionBox:
    """Thread-safe: the coordinator thread accepts questions, the threads of the desk write answers."""

    def __init__(self, url: str, timeout_s: float = 1.0) -> None:
        self._redis = open_redis(
            url,
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
            retry=Retry(NoBackoff(), 0),  # the next tick is the retry
            client_name="srm-driver-questions",
        )

    def waiting(self) -> dict[str, bytes]:
        """Return the questions that no one has accepted, by id. Raises CoordinatorLostError."""
        try:
            found = cast("dict[bytes, bytes]", self._redis.hgetall(QUESTIONS_KEY))
        except (RedisError, OSError) as error:
            raise CoordinatorLostError(str(error)) from error
        return {question.decode(errors="replace"): text for question, text in found.items()}

    def accept(self, question_id: str) -> bool:
        """Return True for the one process that accepts the question. Raises CoordinatorLostError."""
        try:
            return self._redis.hdel(QUESTIONS_KEY, question_id) == 1
        except (RedisError, OSError) as error:
            raise CoordinatorLostError(str(error)) from error

    def answer(self, question_id: str, field: str, text: str) -> None:
        """Write an answer; one that cannot be written is dropped, and the service asks again."""
        key = answer_key(question_id)
        try:
            pipe = self._redis.pipeline(transaction=True)
            pipe.hset(key, field, text)
            pipe.pexpire(key, LIFE_MS)
            pipe.execute()
        except (RedisError, OSError) as error:
            log.warning("answer not written", question=question_id, error=str(error))

    def close(self) -> None:
        self._redis.close()
