"""Builds what other processes read: the desired document of a target cluster, the targets file of metrics."""
