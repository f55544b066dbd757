"""The words of audits that the metrics process writes and the service reads."""

from typing import Literal, get_args

AuditMode = Literal["full", "incremental", "sample"]
AUDIT_MODES: tuple[AuditMode, ...] = get_args(AuditMode)

DifferenceKind = Literal["missing", "changed", "reordered", "unexpected", "duplicate"]
LossKind = Literal["gap", "skipped", "dead_lettered"]  # not copied, and recorded as such
FindingKind = DifferenceKind | LossKind
LOSS_KINDS: tuple[LossKind, ...] = get_args(LossKind)
FINDING_KINDS: tuple[FindingKind, ...] = (*get_args(DifferenceKind), *LOSS_KINDS)
HARMLESS: frozenset[FindingKind] = frozenset({"duplicate", *LOSS_KINDS})  # at least once and policies allow them
