"""Records the target or a transform rejects: isolated, then skipped, kept as dead letters or a reason to stop."""
