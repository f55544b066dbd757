"""Manages users, their sessions and API tokens, and limits how often credentials may be tried."""
