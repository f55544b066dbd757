"""Runs one streaming query per target cluster and decides where each starts to read."""
