"""Stores Kafka clusters with their secrets and probes their reachability."""
