"""Fixtures every test may ask for."""

pytest_plugins = [
    "tests.support.kafka.clusters",
    "tests.support.kafka.mirror_maker",
    "tests.support.servers.redis",
    "tests.support.engine.engine_fleet",
]
