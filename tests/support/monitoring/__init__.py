"""Reads the expressions of alert rules and dashboards, and what they use."""
