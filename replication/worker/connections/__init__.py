"""One client per cluster and process, shared by all flows."""
