"""Real Kafka brokers on this machine, for demos, development and tests."""
