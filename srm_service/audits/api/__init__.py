"""REST resources of audits."""
