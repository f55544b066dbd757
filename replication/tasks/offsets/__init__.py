"""Decides starts and committed positions, and writes offset syncs, runs and gaps to the target's topics."""
