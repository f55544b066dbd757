"""Decides what a flow copies, with which settings and rights, and which findings block it."""
