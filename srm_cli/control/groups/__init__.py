"""The commands of `srm-control` for consumer groups."""
