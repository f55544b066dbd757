"""Starts the processes of a system in order, keeps them running, and leaves nothing behind."""
