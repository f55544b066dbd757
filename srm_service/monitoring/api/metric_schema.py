"""The metrics' units and descriptions in the OpenAPI document, for the page and for other clients."""

from typing import Any

from replication.domain.reporting.metric_defs import FLEET_METRICS, METRICS, Metric


def add_metric_units(result: dict[str, Any], generator: Any, **kwargs: Any) -> dict[str, Any]:
    """spectacular's hook: describe the properties of `Metrics` and `FleetMetrics`."""
    schemas = result["components"]["schemas"]
    schemas["Metrics"]["x-metrics"] = {name: _described(metric) for name, metric in METRICS.items()}
    schemas["FleetMetrics"]["x-metrics"] = {metric.name: _described(metric) for metric in FLEET_METRICS}
    return result


def _described(metric: Metric) -> dict[str, str]:
    return {"unit": metric.unit, "sum_unit": metric.sum_unit, "description": metric.description}
