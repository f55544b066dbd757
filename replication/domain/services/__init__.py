"""Services that advertise themselves on their target clusters, and how fresh an advertisement is."""
