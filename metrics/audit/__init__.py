"""Decides which ranges an audit compares and what its differences mean. Pure."""
