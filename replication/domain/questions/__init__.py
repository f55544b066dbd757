"""Decides what a control worker answers to the service: change plans, pattern previews, topic states, config drift."""
