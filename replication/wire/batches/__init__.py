"""Batches decoded, rebuilt, recompressed and split; the record codec and its compression."""
