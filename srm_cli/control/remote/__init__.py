"""`srm-control` commands about other services."""
