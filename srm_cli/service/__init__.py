"""The client of the service's REST API and its options."""
