"""Shows the state of flows and drivers, and the numbers of the metrics store."""
