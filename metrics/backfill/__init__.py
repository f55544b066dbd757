"""Counts a past time range again and replaces its tiles."""
