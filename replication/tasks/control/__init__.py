"""Carries out the orders of operators to a running slot: holds, resets, and limits on reading."""
