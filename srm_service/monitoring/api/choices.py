"""Closed lists as DRF and the OpenAPI document want them."""

from replication.domain.health.flow_facts import FlowStatusWord
from replication.domain.reporting.metric_defs import METRICS
from srm_service.core.choices import choices_of

FLOW_STATUS_CHOICES = choices_of(FlowStatusWord)
METRIC_CHOICES = [(name, name) for name in METRICS]
