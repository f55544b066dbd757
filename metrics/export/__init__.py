"""Writes closed hours of tiles as Parquet, so that they outlive the metrics store."""
