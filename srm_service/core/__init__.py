"""Accounts, permissions, error format and web plumbing that all apps share."""
