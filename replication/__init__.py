"""The replication engine: copies topics between Kafka clusters."""
