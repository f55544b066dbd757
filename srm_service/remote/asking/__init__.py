"""Requests to other services: the client, what it accepts as an answer, and answers kept for a moment."""
