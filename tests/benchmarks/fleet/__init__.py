"""Costs of drivers that are idle."""
