"""Remote services: this service advertises itself in its targets, and asks others for the flows that they report."""
