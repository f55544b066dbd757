"""A Kafka cluster in memory behind the ports of both planes, for tests and trials without brokers.

It shares the record codec with `wire`, where aiokafka is allowed (contract D3), and nothing of the network.
"""
