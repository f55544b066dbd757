"""The values of settings that name one of a few choices."""

from typing import Literal, get_args

Delivery = Literal["at_least_once", "exactly_once"]
DEFAULT_DELIVERY: Delivery = "at_least_once"
DialectName = Literal["mm2", "srm", "operator"]
DIALECT_NAMES: tuple[DialectName, ...] = get_args(DialectName)
FILE_DIALECT: DialectName = "mm2"  # of a configuration file, unless another one is chosen
ErrorsPolicy = Literal["stop_partition", "dead_letter", "skip"]
ExactlyOnceSupport = Literal["disabled", "preparing", "enabled"]
GapPolicy = Literal["stop", "record_and_continue", "restart_generation"]
HeartbeatsKey = Literal["own", "opposite"]
IsolationLevel = Literal["read_uncommitted", "read_committed"]
Location = Literal["source", "target"]
LogEnd = Literal["earliest", "latest"]
LoopProtectionMode = Literal["producer_ids", "headers", "off"]
LoopChoice = Literal["auto", LoopProtectionMode]
TargetPolicy = Literal["record", "stop", "rewind"]
Tolerance = Literal["none", "all"]
