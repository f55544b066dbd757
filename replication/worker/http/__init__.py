"""The HTTP port of a driver process: probes and metrics."""
