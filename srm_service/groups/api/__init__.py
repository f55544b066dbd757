"""The REST resources of consumer groups."""
