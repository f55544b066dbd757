"""Figures of consumer groups."""
