"""Decides how each source batch reaches the target: passed, recompressed, rebuilt, merged or dropped."""
