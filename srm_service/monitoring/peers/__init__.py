"""Flows that other services report: their place in lists and on the socket, and requests that they answer."""
