"""REST resources of flows, metrics and drivers, and the Prometheus endpoint."""
