"""Orders to drivers: drains and announced restarts."""
