"""The Redis adapter for leases, assignments, documents and live state; short time-outs, no retries."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from redis.backoff import NoBackoff
from redis.client import PubSub
from redis.exceptions import RedisError
from redis.retry import Retry

from replication.config.redis_access import NO_ANSWER, open_redis, problem_of
from replication.worker.state import keys

Renewal = Literal["lost", "held", "retaken"]
_RENEWALS: tuple[Renewal, ...] = ("lost", "held", "retaken")

# A live owner re-acquires an expired lease: a Redis that restarts empty must not interrupt running tasks.
_RENEW = """
local answers = {}
for at, key in ipairs(KEYS) do
  local now = redis.call('GET', key)
  if now == ARGV[at + 1] then
    redis.call('PEXPIRE', key, ARGV[1])
    answers[at] = 1
  elseif not now then
    redis.call('SET', key, ARGV[at + 1], 'PX', ARGV[1])
    answers[at] = 2
  else
    answers[at] = 0
  end
end
return answers
"""
_ACQUIRE = """
local now = redis.call('GET', KEYS[1])
if (now or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
"""
_RELEASE = """
for at, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[at] then redis.call('DEL', key) end
end
return 1
"""
_SET_WHILE_HELD = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
return 1
"""
_PUBLISH = """
for at, key in ipairs(KEYS) do redis.call('SET', key, ARGV[2 * at - 1], 'PX', ARGV[2 * at]) end
return 1
"""
_REPLACE_ASSIGNMENT = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[2])
for at = 2, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[at], ARGV[at + 1]) end
return 1
"""
# A process that stops leaves its membership behind: another one may take it.
_RENEW_MEMBERSHIP = """
local now = redis.call('GET', KEYS[1])
if now then
  local parsed, held = pcall(cjson.decode, now)
  local is_free = not parsed or type(held) ~= 'table' or held.leaving == true
  for at = 3, #ARGV do
    if is_free or held.boot == ARGV[at] then is_free = true break end
  end
  if not is_free then return now end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
if now then return 1 else return 0 end
"""
_DELETE_MEMBERSHIP = """
local now = redis.call('GET', KEYS[1])
local parsed, held = pcall(cjson.decode, now or '')
if parsed and type(held) == 'table' and held.boot ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
"""


class CoordinatorLostError(Exception):
    """Redis did not answer or refused a command; the call may or may not have taken effect. `problem` is for people."""

    def __init__(self, text: str, problem: str = NO_ANSWER) -> None:
        super().__init__(text)
        self.problem = problem

    @classmethod
    def of(cls, error: Exception) -> "CoordinatorLostError":
        return cls(str(error), problem_of(error))


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberRecord:
    """A membership document and its remaining time to live; a dead process stops renewing it."""

    document: bytes
    remaining_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """The result of a renewal: it was held, had expired (new), or belongs to another process, with its document."""

    state: Literal["held", "new", "taken"]
    document: bytes = b""


class RedisStore:
    """Not thread-safe: the coordinator thread owns it. Every method raises CoordinatorLostError."""

    def __init__(self, url: str, timeout_s: float = 1.0) -> None:
        self._redis = open_redis(
            url,
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
            retry=Retry(NoBackoff(), 0),  # the next tick is the retry
            client_name="srm-driver",
        )
        self._nudges: PubSub | None = None
        self._assignments: dict[str, tuple[Mapping[bytes, bytes], dict[str, str]]] = {}  # as read, and decoded

    def get(self, names: Sequence[str]) -> list[bytes | None]:
        return cast("list[bytes | None]", self._call("MGET", *names)) if names else []

    def read(self, names: Iterable[str]) -> dict[str, bytes | None]:
        """Return the values of keys by their names."""
        wanted = list(dict.fromkeys(names))
        return dict(zip(wanted, self.get(wanted), strict=True))

    def assignments(self, targets: Sequence[str]) -> dict[str, dict[str, str]]:
        """Return the driver of each task, by target; the same object as before while it has not changed."""
        pipe = self._redis.pipeline(transaction=False)
        for target in targets:
            pipe.hgetall(keys.want(target))
        found = self._run(pipe) if targets else []
        return {target: self._assignment(target, raw) for target, raw in zip(targets, found, strict=True)}

    def _assignment(self, target: str, raw: Mapping[bytes, bytes]) -> dict[str, str]:
        known, assignment = self._assignments.get(target, (None, {}))
        if raw != known:
            assignment = {task.decode(): driver.decode() for task, driver in raw.items()}
            self._assignments[target] = (raw, assignment)
        return assignment

    def targets(self) -> frozenset[str]:
        """The target clusters that have a desired document."""
        return frozenset(keys.target_of_desired(key) for key in self._scan(keys.DESIRED_PATTERN))

    def members(self) -> list[MemberRecord]:
        names = sorted(self._scan(keys.MEMBERS_PATTERN))
        pipe = self._redis.pipeline(transaction=False)
        for name in names:
            pipe.get(name)
            pipe.pttl(name)
        answers = self._run(pipe) if names else []
        pairs = zip(answers[::2], answers[1::2], strict=True)
        return [MemberRecord(document=text, remaining_ms=left) for text, left in pairs if text is not None]

    def renew(self, values: Mapping[str, str], life_ms: int) -> dict[str, Renewal]:
        """Renew leases and re-acquire expired ones; returns the result by key."""
        if not values:
            return {}
        answers = self._eval(_RENEW, list(values), [life_ms, *values.values()])
        return {key: _RENEWALS[int(answer)] for key, answer in zip(values, answers, strict=True)}

    def acquire(self, key: str, seen: str | None, value: str, life_ms: int) -> bool:
        """Acquire a lease whose value is still `seen` (None: free)."""
        return bool(self._eval(_ACQUIRE, [key], [seen or "", value, life_ms]))

    def release(self, values: Mapping[str, str]) -> None:
        """Delete the keys that still hold the given value."""
        if values:
            self._eval(_RELEASE, list(values), list(values.values()))

    def set_while_held(self, lease: str, lease_value: str, key: str, value: str) -> bool:
        return bool(self._eval(_SET_WHILE_HELD, [lease, key], [lease_value, value]))

    def replace_assignment(self, target: str, leader: str, assignment: Mapping[str, str]) -> bool:
        """Publish the assignment; returns False when another process has become the leader."""
        pairs = [text for item in assignment.items() for text in item]
        return bool(self._eval(_REPLACE_ASSIGNMENT, [keys.LEADER, keys.want(target)], [leader, *pairs]))

    def renew_membership(self, key: str, value: str, life_ms: int, boots: Sequence[str] = ("",)) -> Membership:
        """Renew a membership that is free, left behind, or of one of `boots`, the first of which is this start's."""
        answer = self._eval(_RENEW_MEMBERSHIP, [key], [value, life_ms, *boots])
        if isinstance(answer, bytes):
            return Membership(state="taken", document=answer)
        return Membership(state="held" if answer else "new")

    def delete_membership(self, key: str, boot: str) -> None:
        """Delete a membership unless another process has taken it."""
        self._eval(_DELETE_MEMBERSHIP, [key], [boot])

    def publish(self, values: Iterable[tuple[str, str | bytes, int]]) -> None:
        """Set keys from (key, value, time to live in ms), in one command: a reply for each key costs much time."""
        rows = list(values)
        if rows:
            self._eval(_PUBLISH, [key for key, _, _ in rows], [part for _, *rest in rows for part in rest])

    def delete(self, *names: str) -> None:
        if names:
            self._call("DEL", *names)

    def nudge(self, text: str) -> None:
        """Let every driver process begin its next round at once."""
        self._call("PUBLISH", keys.NUDGE_CHANNEL, text)

    def wait_for_nudge(self, timeout_s: float) -> bool:
        """Block until a document is published, at most for the given time."""
        try:
            if self._nudges is None:
                self._nudges = cast("Any", self._redis).pubsub(ignore_subscribe_messages=True)
                self._nudges.subscribe(keys.NUDGE_CHANNEL)
            return self._nudges.get_message(timeout=timeout_s) is not None
        except (RedisError, OSError) as error:
            self._unsubscribe()
            raise CoordinatorLostError.of(error) from error

    def close(self) -> None:
        self._unsubscribe()
        self._redis.close()

    def _unsubscribe(self) -> None:
        nudges, self._nudges = self._nudges, None
        if nudges is not None:
            nudges.close()

    def _scan(self, pattern: str) -> set[str]:
        try:
            return {key.decode() for key in self._redis.scan_iter(match=pattern, count=1_000)}
        except (RedisError, OSError) as error:
            raise CoordinatorLostError.of(error) from error

    def _eval(self, script: str, names: Sequence[str], arguments: Sequence[str | bytes | int]) -> Any:
        return self._call("EVAL", script, len(names), *names, *arguments)

    def _call(self, *command: str | bytes | int) -> Any:  # redis is untyped here
        try:
            return cast("Any", self._redis).execute_command(*command)
        except (RedisError, OSError) as error:
            raise CoordinatorLostError.of(error) from error

    def _run(self, pipe: Any) -> list[Any]:  # redis is untyped here
        try:
            return cast("list[Any]", pipe.execute())
        except (RedisError, OSError) as error:
            raise CoordinatorLostError.of(error) from error
