"""Decides how much to fetch, how often, and over how many connections."""
