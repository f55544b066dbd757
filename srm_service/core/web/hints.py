"""The last clause of an error can tell programs which request helps: people read the sentence without it."""

import re

from replication.domain.sentences import sentence

_HINT = re.compile(r"; (?P<hint>(?:see )?(?:(?:GET|POST|PUT|PATCH|DELETE) \S*/|/swagger/).*)$")


def told(clause: str) -> tuple[str, str]:
    """Return the sentence for people, and the hint for programs; the hint is empty if the clause has none."""
    found = _HINT.search(clause)
    if found is None:
        return sentence(clause), ""
    return sentence(clause[: found.start()]), sentence(found["hint"])
