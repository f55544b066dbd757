"""The reading side of a slot: batches as they are stored, and what a cluster says of its topics."""
