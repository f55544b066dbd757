"""The control plane over confluent-kafka: administration, single records, and reading small topics."""
