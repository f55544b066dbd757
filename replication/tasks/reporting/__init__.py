"""Reports the state of a slot: raw metrics, the live document, and what limits it."""
