"""The V2 metric API of Streams Replication Manager: its paths and its names of metrics, over our statistics."""
