"""Consumer groups over Kafka's protocol: many groups in one request to each coordinator."""
