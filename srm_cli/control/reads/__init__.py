"""Commands that read across all flows: gaps, the search, the topology."""
