"""Decides the names of topics: remote topics, internal topics, and which topics a flow selects."""
