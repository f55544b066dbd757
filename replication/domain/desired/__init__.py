"""The desired state of flows, and its JSON form."""
