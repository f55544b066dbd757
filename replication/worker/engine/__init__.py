"""Builds the data engine and the specification of its slots from a flow's settings."""
