"""Repeats planners, heartbeats and checkpoint tasks by short Celery jobs."""
