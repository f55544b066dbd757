"""Stores the desired state of flows, takes operators' orders, and publishes both to the drivers."""
