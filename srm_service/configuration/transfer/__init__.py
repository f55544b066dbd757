"""Moves trees between files and the database."""
