"""Kafka's own schemas of the requests that kafka-python does not know."""
