"""Sends live rows of flows and drivers to web pages over WebSockets."""
