"""The raw Produce request, transactions, fencing, and appending small records."""
