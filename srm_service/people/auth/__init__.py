"""Decides whom a request comes from: password, session or API token."""
