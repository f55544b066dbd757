"""Every setting that a flow knows under its MirrorMaker 2, Kafka Connect, replication manager or own name."""
