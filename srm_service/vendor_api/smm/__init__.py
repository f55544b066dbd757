"""The replication statistics of Streams Messaging Manager: its paths, over our statistics."""
