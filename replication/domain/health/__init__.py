"""Decides the state of partitions, tasks and flows, and the sentence that explains it."""
