"""The request of an audit: the `spec` of its row in `job_request`, checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from metrics.errors import JobError
from replication.domain.names.internal_topics import DEAD_LETTERS
from replication.domain.reporting.audit_words import AUDIT_MODES, AuditMode
from replication.domain.settings.choices import IsolationLevel

_ISOLATIONS: tuple[IsolationLevel, ...] = get_args(IsolationLevel)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedTopic:
    """A source topic and its copy."""

    upstream: str
    remote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSpec:
    """One audit of one flow."""

    source: str
    target: str
    topics: tuple[AuditedTopic, ...]
    mode: AuditMode = "full"
    sample: int = 1  # compares one range in so many
    max_offsets: int | None = None  # source offsets of a topic compared in this run, the oldest first
    records_per_second: int | None = None  # of both clusters together; None: as fast as they answer
    strict: bool = False  # SHA-2 instead of a 64-bit hash
    isolation: IsolationLevel = "read_uncommitted"  # how the flow reads its source
    shared: bool = False  # others may write to the remote topics as well (identity names)
    counts_only: bool = False  # the flow changes records on the way
    skips: bool = False  # the flow skips records that its target rejects
    dead_letters: str = ""  # the topic of the target that keeps them
    ignored_headers: tuple[str, ...] = ()  # written by the flow itself


def parse_spec(raw: Mapping[str, Any]) -> AuditSpec:
    """Read the document; JobError names the member that is wrong."""
    pairs = raw.get("topics")
    if not isinstance(pairs, list) or not pairs or not all(_is_pair(pair) for pair in pairs):
        raise JobError("the audit's `topics` must be a list of [topic, remote topic]")
    return AuditSpec(
        source=_text(raw, "source"),
        target=_text(raw, "target"),
        topics=tuple(AuditedTopic(upstream=upstream, remote=remote) for upstream, remote in pairs),
        mode=next((mode for mode in AUDIT_MODES if mode == raw.get("mode")), "full"),
        sample=_positive(raw, "sample") or 1,
        max_offsets=_positive(raw, "max_offsets"),
        records_per_second=_positive(raw, "records_per_second"),
        strict=raw.get("strict") is True,
        isolation=next((word for word in _ISOLATIONS if word == raw.get("isolation")), "read_uncommitted"),
        shared=raw.get("shared") is True,
        counts_only=raw.get("counts_only") is True,
        skips=raw.get("skips") is True,
        dead_letters=str(raw.get("dead_letters") or DEAD_LETTERS.name(_text(raw, "source"))),
        ignored_headers=tuple(str(name) for name in raw.get("ignored_headers") or ()),
    )


def _is_pair(pair: object) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) and name for name in pair)


def _text(raw: Mapping[str, Any], name: str) -> str:
    value = raw.get(name)
    if not isinstance(value, str) or not value:
        raise JobError(f"the audit's `{name}` must be a cluster's alias")
    return value


def _positive(raw: Mapping[str, Any], name: str) -> int | None:
    value = raw.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise JobError(f"the audit's `{name}` must be a whole number above 0")
    return value
