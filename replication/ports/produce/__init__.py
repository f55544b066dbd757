"""The writing side of a slot: batches, small records, transactions, and who may write at all."""
