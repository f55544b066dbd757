"""Runs tasks inside Celery jobs, and decides when a failed task is restarted."""
