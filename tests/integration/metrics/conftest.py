"""The metrics process over a broker of its own: its pattern would find other tests' topics."""

from tests.support.metrics_process import metrics_process, spark_jars

__all__ = ["metrics_process", "spark_jars"]
