"""The metrics process over its own broker: its pattern would find other tests' topics."""

from tests.support.metrics.metrics_process import metrics_process, spark_jars

__all__ = ["metrics_process", "spark_jars"]
