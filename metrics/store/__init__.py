"""Decides how the metrics store is written: connections, transactions, ownership and retention."""
