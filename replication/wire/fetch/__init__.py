"""The raw Fetch request, its sessions, and reading a small topic to its end."""
