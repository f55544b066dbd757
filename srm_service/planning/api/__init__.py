"""REST resources of change plans, pattern previews, topic states and config drift."""
