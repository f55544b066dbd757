"""The documents, raw metrics and log lines that a driver process publishes."""
