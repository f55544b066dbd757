"""Reads the committed offsets of many groups."""

from collections.abc import Collection, Mapping, Sequence

from replication.domain.errors import ConfigurationError
from replication.domain.groups.consumer_group import Commits
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.ports.loop import Loop
from replication.wire.groups.coordinators import Coordinators, Refusals, is_unsupported
from replication.wire.groups.offset_fetch import (
    FetchedCommits,
    OffsetFetchAnswer,
    OffsetFetchRequest,
    OneGroupOffsetFetchRequest,
)

GROUPS_PER_REQUEST = 500
UNSTABLE_PAUSES_S = (0.1, 0.3)
_DOING = "reading committed offsets"


class CommitReader:
    """Belongs to the loop's thread."""

    def __init__(self, coordinators: Coordinators, loop: Loop) -> None:
        self._coordinators = coordinators
        self._loop = loop

    async def read(self, groups: Collection[str]) -> tuple[dict[str, Commits], Refusals]:
        """Return the stable commits by group, and the codes of groups that were refused.

        What is in a transaction is waited for; if the transaction stays open, the commit before it counts.
        """
        found, refused = await self._fetch(groups, stable=True)
        for pause_s in UNSTABLE_PAUSES_S:
            if not (open_ones := _unstable(found)):
                break
            await self._loop.sleep(pause_s)
            found |= (await self._fetch(open_ones, stable=True))[0]
        if open_ones := _unstable(found):
            found |= (await self._fetch(open_ones, stable=False))[0]
        return {name: answer.commits for name, answer in found.items()}, refused

    async def _fetch(self, groups: Collection[str], *, stable: bool) -> tuple[dict[str, FetchedCommits], Refusals]:
        async def ask(node: int, names: Sequence[str]) -> tuple[Mapping[str, FetchedCommits], Refusals]:
            answered = await self._ask(node, names, stable=stable)
            missing = dict.fromkeys((name for name in names if name not in answered), int(Code.UNKNOWN_SERVER_ERROR))
            refused = {name: answer.code for name, answer in answered.items() if not _is_answered(answer)}
            return {name: answer for name, answer in answered.items() if _is_answered(answer)}, refused | missing

        return await self._coordinators.ask(groups, ask, portion=GROUPS_PER_REQUEST)

    async def _ask(self, node: int, names: Sequence[str], *, stable: bool) -> dict[str, FetchedCommits]:
        try:
            return await self._send(node, OffsetFetchRequest(names, stable=stable))
        except ConfigurationError as error:
            if not is_unsupported(error):
                raise
        answers: dict[str, FetchedCommits] = {}
        for name in names:
            answers |= await self._send(node, OneGroupOffsetFetchRequest([name], stable=stable))
        return answers

    async def _send(self, node: int, request: OffsetFetchRequest) -> dict[str, FetchedCommits]:
        answer: OffsetFetchAnswer = await self._coordinators.send(request, node, doing=_DOING)
        return answer.groups


def _is_answered(answer: FetchedCommits) -> bool:
    return answer.code in (Code.NONE, Code.GROUP_ID_NOT_FOUND)  # brokers differ on groups that do not exist


def _unstable(found: Mapping[str, FetchedCommits]) -> list[str]:
    return [name for name, answer in found.items() if Code.UNSTABLE_OFFSET_COMMIT in answer.refused.values()]
