"""Checks of this machine: one line per check, with the remedy for what is missing."""
