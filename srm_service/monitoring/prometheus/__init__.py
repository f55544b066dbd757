"""The service's page for Prometheus: each metric is declared once, with the value that it takes."""
