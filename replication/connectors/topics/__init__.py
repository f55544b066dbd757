"""Creates and configures the topics of a flow: remote, internal and dead letter topics."""
