"""Closed lists as DRF and the OpenAPI document want them."""

from replication.domain.assignment.assignment import DriverRole
from replication.domain.assignment.move import MoveReason
from replication.domain.health.flow_facts import FlowStatusWord, TaskState
from replication.domain.health.partition_state import PartitionState
from replication.domain.identifiers import TaskKind
from replication.domain.reporting.metric_defs import METRICS
from srm_service.core.choices import choices_of

FLOW_STATUS_CHOICES = choices_of(FlowStatusWord)
METRIC_CHOICES = [(name, name) for name in METRICS]
DRIVER_ROLE_CHOICES = choices_of(DriverRole)
MOVE_REASON_CHOICES = choices_of(MoveReason)
PARTITION_STATE_CHOICES = choices_of(PartitionState)
TASK_KIND_CHOICES = choices_of(TaskKind)
TASK_STATE_CHOICES = choices_of(TaskState)
