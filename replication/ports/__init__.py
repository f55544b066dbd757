"""The interfaces between the driver's own logic and the adapters that reach Kafka."""
