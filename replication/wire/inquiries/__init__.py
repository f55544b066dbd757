"""Single requests to a cluster from a thread that waits for the answer, on a loop of the caller."""
