"""The REST resources of reads across all flows."""
