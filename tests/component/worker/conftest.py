"""Fixtures of the driver process tests."""

from tests.support.drivers import fleet

__all__ = ["fleet"]
