"""Closed lists as DRF and the OpenAPI document want them."""

from replication.domain.flow_status import FLOW_STATUS_WORDS
from srm_service.monitoring.metric_names import METRIC_NAMES

FLOW_STATUS_CHOICES = [(word, word) for word in FLOW_STATUS_WORDS]
METRIC_CHOICES = [(name, name) for name in METRIC_NAMES]
