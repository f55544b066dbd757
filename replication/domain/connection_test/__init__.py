"""Decides the steps of a connection test, what each found, and the remedy of the one that failed."""
