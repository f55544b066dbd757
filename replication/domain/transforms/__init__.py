"""Transforms of single records, their options and their contract."""
