"""Fixtures every test may ask for."""

pytest_plugins = ["tests.support.clusters", "tests.support.redis"]
