"""Keeps the audit trail: who changed or ordered something, from where, its values before and after, and why."""
