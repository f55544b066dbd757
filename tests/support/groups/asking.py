"""Questions about the groups of a flow to the control worker of a fleet, as the service asks them, and its reports."""

import time
import uuid
from collections.abc import Iterator
from typing import TypeVar, cast

from replication.config.security.signed_document import signed
from replication.domain.groups.group_summary import GroupsSummary, GroupSummary, SkippedGroup, summary_from_bytes
from replication.domain.identifiers import FlowId
from replication.domain.questions.groups import GroupPartitions, GroupPlaces, SyncReceipts
from replication.domain.questions.json_shape import from_plain
from replication.domain.questions.question import (
    MOST_WAIT_MS,
    QUESTIONS_KEY,
    Question,
    QuestionKind,
    answer_from_json,
    answer_key,
    question_to_json,
)
from replication.worker.state import keys
from tests.support.engine.engine_fleet import EngineFleet

ANSWER_S = MOST_WAIT_MS / 1_000
Shape = TypeVar("Shape")


class NotAnsweredError(Exception):
    """No control worker answered in time, or it says why it cannot."""


class GroupDesk:
    """One flow of a fleet."""

    def __init__(self, fleet: EngineFleet, source: str, target: str) -> None:
        self._fleet = fleet
        self.id = FlowId(source, target)

    def group(self, name: str) -> GroupPlaces:
        """Return where the group is, and where it continues. Raises NotAnsweredError."""
        answer = self._ask(GroupPartitions, "group_partitions", name, dry_run=False)
        if answer.unlooked:
            raise NotAnsweredError(str(answer.unlooked))
        (found,) = answer.groups
        return found

    def sync(self, name: str, *, dry_run: bool = False) -> SyncReceipts:
        """Set the group's offsets on the target now. Raises NotAnsweredError."""
        return self._ask(SyncReceipts, "sync_groups", name, dry_run=dry_run)

    def summaries(self) -> dict[str, GroupSummary]:
        """Return the groups as the checkpoint tasks report them."""
        return {each.group: each for summary in self._reports() for each in summary.groups}

    def skipped(self) -> list[SkippedGroup]:
        """Return the groups that are not translated, as the checkpoint tasks report them."""
        return [each for summary in self._reports() for each in summary.skipped]

    def _reports(self) -> Iterator[GroupsSummary]:
        with self._fleet.client() as client:
            for name in cast("list[bytes]", client.keys(f"{keys.PREFIX}groups:{self.id.target}:{self.id.source}:*")):
                raw = cast("bytes | None", client.get(name))
                if raw is not None:
                    yield summary_from_bytes(raw)

    def _ask(self, shape: type[Shape], kind: QuestionKind, group: str, *, dry_run: bool) -> Shape:
        question = Question(
            id=uuid.uuid4().hex,
            kind=kind,
            target=self.id.target,
            sources=(self.id.source,),
            document=self._fleet.documents[self.id.target],
            asked_ms=time.time_ns() // 1_000_000,
            wait_ms=MOST_WAIT_MS,
            groups=(group,),
            dry_run=dry_run,
        )
        text = signed([self._fleet.transport_key], question_to_json(question), "question")
        with self._fleet.client() as client:
            client.hset(QUESTIONS_KEY, question.id, text)
            client.publish(keys.NUDGE_CHANNEL, f"{question.target} question")
            deadline = time.monotonic() + ANSWER_S
            while (raw := client.hget(answer_key(question.id), self.id.source)) is None:
                if time.monotonic() > deadline:
                    client.hdel(QUESTIONS_KEY, question.id)
                    raise NotAnsweredError(f"{self.id}: no answer within {ANSWER_S:.0f} s")
                time.sleep(0.05)
        answer = answer_from_json(cast("bytes", raw))
        if answer.content is None:
            raise NotAnsweredError(f"{self.id}: {answer.problem}")
        return from_plain(shape, answer.content)
