"""The command lines `srm` and `srm-control`."""
