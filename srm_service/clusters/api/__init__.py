"""REST resources of clusters."""
