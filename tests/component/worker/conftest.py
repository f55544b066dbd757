"""Fixtures of the driver process tests."""

from tests.support.drivers.driver_processes import fleet

__all__ = ["fleet"]
