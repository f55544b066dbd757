"""Combines live reports and stored numbers into the present state of flows."""
