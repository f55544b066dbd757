"""The data types in which other apps see the configuration."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from replication.config import ConfigFinding
from replication.config.tree.properties import PropertyPlace

HIDDEN_VALUE = "${secret:hidden}"  # a secret in answers and exports; as a change it keeps the stored secret


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyChange:
    """A property to set, or to remove if `value` is None. Without a comment, the present one is kept."""

    place: PropertyPlace
    value: str | None = field(repr=False)
    comment: str | None = None
    origin: str = "rest"


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyDifference:
    """The value and comment of a property on two sides; None if it does not exist there. Secrets are hidden."""

    place: PropertyPlace
    before: str | None
    after: str | None
    comment_before: str | None = None
    comment_after: str | None = None
    is_secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionDto:
    """A version of the configuration. Version 0 is the empty tree."""

    number: int
    author: str
    at: datetime
    comment: str
    request_id: str
    dialect: str
    edits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedChange:
    """The effect of a change: the version in force after it, and the clusters and flows that have changed.

    `is_new` is False if nothing changed: then `version` is the one before.
    """

    version: int
    is_new: bool
    differences: tuple[PropertyDifference, ...] = ()
    clusters: tuple[str, ...] = ()
    flows: tuple[tuple[str, str], ...] = ()
    findings: tuple[ConfigFinding, ...] = ()


class VersionConflictError(Exception):
    """The configuration has changed since the version that the caller knows; `differences` says how."""

    def __init__(self, expected: int, current: int, differences: Sequence[PropertyDifference]) -> None:
        self.expected = expected
        self.current = current
        self.differences = tuple(differences)
        super().__init__(f"the configuration is at version {current}, not {expected}: look at the changes and repeat")


class InvalidChangeError(Exception):
    """The change would make the configuration invalid; `findings` holds every error."""

    def __init__(self, findings: Sequence[ConfigFinding]) -> None:
        self.findings = tuple(findings)
        super().__init__("; ".join(f"{each.key}: {each.message}" for each in findings))


class SecretsNotSentError(InvalidChangeError):
    """The change connects in another way than the stored cluster, and the secrets `names` are not given again."""

    text = (
        "stored secrets are sent only to the stored bootstrap servers with the stored security settings; enter "
        "this one again"
    )

    def __init__(self, names: Collection[str]) -> None:
        self.names = tuple(names)
        findings = (ConfigFinding(severity="error", key=name, line=None, message=self.text) for name in self.names)
        super().__init__(tuple(findings))


class VersionNotFoundError(Exception):
    """There is no version of this number."""


class DraftNotFoundError(Exception):
    """There is no such draft."""


class DraftNameTakenError(Exception):
    """The author has another draft of this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftDto:
    """Changes that a person prepares; secrets in `changes` are hidden."""

    id: int
    name: str
    author: str
    base_version: int
    created_at: datetime
    updated_at: datetime
    changes: tuple[PropertyChange, ...]
