"""The metrics process: counts raw metrics with Spark and runs audits."""
