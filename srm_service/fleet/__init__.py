"""Reads across all flows: the topology, the search, gaps, and what the plans of flows report."""
