"""Decides what a flow does with records that its target rejects."""
