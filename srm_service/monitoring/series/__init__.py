"""Reads time series from the metrics store and derives their statistics."""
