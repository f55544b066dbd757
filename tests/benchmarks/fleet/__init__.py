"""What a fleet of drivers costs while it is idle."""
