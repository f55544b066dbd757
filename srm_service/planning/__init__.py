"""Decides what a change plan shows before a change is applied, and what is asked of a target's control worker."""
