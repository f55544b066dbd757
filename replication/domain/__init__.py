"""Decides what replication does: pure functions and values, without I/O and without a clock."""
