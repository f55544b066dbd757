"""Decides which due runs of planners, heartbeats and checkpoint tasks a control worker starts now."""
