"""Commits offsets for many groups that have no members."""

import itertools
from collections.abc import Mapping, Sequence

from replication.domain.groups.consumer_group import Commit
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.wire.groups.coordinators import Coordinators, Refusals, can_retry
from replication.wire.groups.offset_commit import OffsetCommitAnswer, OffsetCommitRequest

IN_FLIGHT = 64  # per coordinator: a request commits for one group only
LINKS = 32  # a coordinator gathers writes for some milliseconds, and takes one request of a connection at a time
GROUPS_PER_LINK = 16
_DOING = "committing offsets of a group"
Codes = Mapping[TopicPartition, int]


class CommitWriter:
    """Belongs to the loop's thread."""

    def __init__(self, coordinators: Coordinators) -> None:
        self._coordinators = coordinators

    async def write(self, commits: Mapping[str, Mapping[TopicPartition, Commit]]) -> dict[str, Codes]:
        """Return the codes of all partitions by group; 0 for those that are committed."""
        links = itertools.cycle(await self._coordinators.links(min(LINKS, 1 + len(commits) // GROUPS_PER_LINK)))

        async def ask(node: int, names: Sequence[str]) -> tuple[Mapping[str, Codes], Refusals]:
            (name,) = names
            request = OffsetCommitRequest(name, commits[name])
            answer: OffsetCommitAnswer = await self._coordinators.send(request, node, doing=_DOING, link=next(links))
            codes = {place: answer.codes.get(place, int(Code.UNKNOWN_SERVER_ERROR)) for place in commits[name]}
            retriable = next((code for code in codes.values() if can_retry(code)), None)
            return ({name: codes}, {}) if retriable is None else ({}, {name: retriable})

        found, refused = await self._coordinators.ask(commits, ask, portion=1, in_flight=IN_FLIGHT)
        return {
            name: found[name] if name in found else dict.fromkeys(wanted, refused[name])
            for name, wanted in commits.items()
        }
