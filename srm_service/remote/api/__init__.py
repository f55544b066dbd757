"""REST resources of remote services, and the views that only other services may read."""
