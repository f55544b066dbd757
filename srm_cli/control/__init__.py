"""The commands of `srm-control`, which call the service's REST API."""
