"""The Django service: REST API, live updates, web page and maintenance worker."""
