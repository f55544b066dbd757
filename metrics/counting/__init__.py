"""Decides how raw metrics records become tiles, gauges and series state. Pure."""
