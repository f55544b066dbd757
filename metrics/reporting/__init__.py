"""Reports on the running queries: figures of the last minute, and warnings that name an executor of Spark."""
