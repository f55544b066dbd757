"""Celery jobs of a driver process: the application, the task groups, what sends and runs their jobs."""
