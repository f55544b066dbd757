"""Decides the next step for a batch after its Produce answer, and how producers are registered."""
