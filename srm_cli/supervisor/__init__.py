"""Starts the processes of a system in order, restarts them, and stops them without leftovers."""
