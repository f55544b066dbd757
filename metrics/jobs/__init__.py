"""Runs the batch jobs that the service or an operator requests, one at a time."""
