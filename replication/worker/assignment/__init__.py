"""Decides which driver runs which task, and when a task starts, stops and releases its lease."""
