"""Fixtures every test may ask for."""

pytest_plugins = [
    "tests.support.clusters",
    "tests.support.mirror_maker",
    "tests.support.redis",
    "tests.support.engine_fleet",
]
