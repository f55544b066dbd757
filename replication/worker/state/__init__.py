"""Stores desired state, plans and leases in Redis and on disk, and decides which copy is in force."""
