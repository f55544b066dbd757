"""The driver process: a Celery worker that runs tasks under leases in Redis."""
