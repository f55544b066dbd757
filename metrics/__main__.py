"""`python -m metrics run`: the metrics process."""

from metrics.main import metrics

metrics()
