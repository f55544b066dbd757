"""The operator's resources: how KafkaConnector resources become the properties of flows, and become resources again."""
