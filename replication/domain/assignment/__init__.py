"""Decides which driver runs which task, and when a driver must stop a task it can no longer hold."""
