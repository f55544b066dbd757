"""Decides what group offset sync sets on the target: which offsets, how often, and which flow may."""
