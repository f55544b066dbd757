"""One module per sub-command of `srm`; each has a `command`."""
