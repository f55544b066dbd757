"""Runs audits with Spark: reads frozen logs, compares them and stores the findings."""
