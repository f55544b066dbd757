"""Health endpoints, the web page and request ids."""
